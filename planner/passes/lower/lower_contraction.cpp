// Loop nest of the tiling method as instructions: outer partitions of m and n -> steps of K -> inner tiles; per tile
// the strips of A and B that are not yet in the buffers, the product, after the last step of K the epilogue and the
// store. With split K, partitions and steps are gone through in alternating directions, so that what was loaded last
// serves again; where several parts add up one result, all of them go through partitions as one with split K does.
#include <algorithm>
#include <array>
#include <limits>

#include "planner/constants/constants.h"
#include "planner/emit/area_ring.h"
#include "planner/emit/caching.h"
#include "planner/emit/epilogue_lowering.h"
#include "planner/emit/filters_abreast.h"
#include "planner/emit/operand_chain.h"
#include "planner/emit/pipeline.h"
#include "planner/emit/region_moves.h"
#include "planner/emit/row_means.h"
#include "planner/emit/row_reductions.h"
#include "planner/emit/spilled_sums.h"
#include "planner/emit/weight_expansion.h"
#include "planner/emit/weight_scaling.h"
#include "planner/emit/window_sums.h"
#include "planner/estimate/contraction_unit.h"
#include "planner/estimate/tiling_time.h"
#include "planner/ir/abreast.h"
#include "planner/ir/groups_together.h"
#include "planner/ir/image_blocks.h"
#include "planner/ir/partials.h"
#include "planner/passes/lower/k_stagger.h"
#include "planner/passes/lower/lower.h"
#include "planner/passes/lower/lower_partials.h"
#include "planner/passes/lower/row_stagger.h"
#include "planner/passes/lower/weight_stagger.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Sizes of the areas for `group` batches at a time.
struct Areas {
  std::int64_t group = 1;
  std::int64_t strip_columns = 1;  // of B, a multiple of tile_n
  int result_slots = 1;
  Bytes strip_a = 0, strip_b = 0, partition_a = 0, partition_b = 0, result = 0;
  RowReductions::Places row_results;
  EpilogueAreas epilogue;
};

// Tiles of B that are loaded together: enough for runs of some of the longest requests.
std::int64_t strip_columns(const Contraction& part, const Tiling& t, const TilingLimits& limits, Bytes request) {
  if (!part.columns_of_b_are_runs() || limits.packed) return t.tile_n;
  return std::max<std::int64_t>(1, ceil_div(constants().strip_requests * request, t.tile_n * limits.d_s)) * t.tile_n;
}

// What followers make of the rows, one after the other (RowReductions).
RowReductions::Places row_places(Address base, std::int64_t group, const Tiling& t, const TilingLimits& limits) {
  const Bytes row = group * bytes_of(DataType::kFp32);
  return {base, t.partition_m * row, t.tile_m * row, limits.buffering};
}

Areas areas_of(const Contraction& part, const Tiling& t, const TilingLimits& limits, Bytes request, std::int64_t group,
               std::int64_t most_slots) {
  const GemmShape& s = part.shape();
  Areas areas;
  areas.group = group;
  areas.strip_a = areas.group * rows_of_a_bytes(t.tile_m, t, s, limits);
  areas.partition_a = areas.group * rows_of_a_bytes(t.partition_m, t, s, limits);
  areas.partition_b = areas.group * partition_b_bytes(t, s, limits);
  areas.strip_columns = strip_columns(part, t, limits, request);
  areas.strip_b =
      part.strips_of_b() ? areas.group * areas.strip_columns * t.partition_k * limits.d_s : areas.partition_b;
  areas.result = areas.group * t.tile_m * t.tile_n * limits.acc_element;
  areas.epilogue.vectors = areas.group * (t.tile_m * limits.acc_bytes_per_row + t.tile_n * limits.acc_bytes_per_column);
  areas.epilogue.elements = areas.group * t.tile_m * t.tile_n * limits.acc_bytes_per_element;
  const Bytes row_results = limits.buffering * areas.group * row_results_bytes(t, s, limits);
  const Bytes beside = row_results + limits.buffering * (areas.epilogue.vectors + areas.epilogue.elements);
  Address end = areas.group * t.partition_m * t.partition_n * limits.acc_element;
  if (const auto spill = spill_of(t, s, limits)) end = spill->in_accumulator();
  if (!t.need_splitk) {
    const std::int64_t room = (limits.acc_buffer_max - beside) / areas.result;
    areas.result_slots = static_cast<int>(std::clamp<std::int64_t>(room, limits.buffering, most_slots));
    end = areas.result_slots * areas.result;
  }
  areas.row_results = row_places(end, areas.group, t, limits);
  areas.epilogue.base = end + row_results;
  return areas;
}

// The parts of a box add up the same tiles: they move as many batches at a time as the one that has room for fewest.
std::int64_t groups_of_all(const Plan& plan, OperatorId id, const std::vector<std::size_t>& box) {
  const Operator& op = plan.graph.op(id);
  const OperatorPlan& planned = plan.operators[id];
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t item : box) {
    const auto part = make_contraction(plan, op, planned.split.items[item]);
    least = std::min(least, groups_together(*part, planned.tilings[item], tiling_limits(plan, op, *part)));
  }
  return least;
}

// Results that are kept at a time. Where each core adds up a share of them, several for every share: every step of such
// a reduction waits for another core.
std::int64_t most_result_slots(const Plan& plan, OperatorId id, std::size_t item) {
  const auto& partials = plan.operators[id].partials;
  const std::size_t shares = partials.empty() ? 0 : partials[item].shares.size();
  const std::int64_t usual = constants().result_slots;
  return shares > 1 ? std::max<std::int64_t>(usual, 4 * static_cast<std::int64_t>(shares)) : usual;
}

// Finished tiles of a partition that a part can keep while it computes one more, `group` batches at a time.
std::int64_t tiles_held(const Plan& plan, OperatorId id, std::size_t item, std::int64_t group) {
  const OperatorPlan& planned = plan.operators[id];
  const Tiling& tiling = planned.tilings[item];
  if (tiling.need_splitk) return std::numeric_limits<std::int64_t>::max();  // all of them have places
  const auto part = make_contraction(plan, plan.graph.op(id), planned.split.items[item]);
  const TilingLimits limits = tiling_limits(plan, plan.graph.op(id), *part);
  return areas_of(*part, tiling, limits, plan.hardware.core.dma.request_bytes, group, most_result_slots(plan, id, item))
             .result_slots -
         1;
}

// The parts of a box have the same tiles, and add up as many of them at a time.
std::int64_t tiles_held_by_all(const Plan& plan, OperatorId id, std::size_t item, const std::vector<std::size_t>& box,
                               std::int64_t group) {
  const auto& tilings = plan.operators[id].tilings;
  std::int64_t least = tiles_held(plan, id, item, group);
  for (const std::size_t other : box)
    if (tilings[other].need_splitk != tilings[item].need_splitk)
      least = std::min(least, tiles_held(plan, id, other, group));
  return least;
}

bool some_split_k(const Plan& plan, OperatorId id, const std::vector<std::size_t>& box) {
  return std::ranges::any_of(box, [&](std::size_t item) { return plan.operators[id].tilings[item].need_splitk; });
}

class ContractionLowering {
 public:
  ContractionLowering(const Plan& plan, OperatorId id, std::size_t item)
      : plan_(plan),
        id_(id),
        item_(item),
        op_(plan.graph.op(id)),
        tiling_(plan.operators[id].tilings.at(item)),
        part_(make_contraction(plan, op_, plan.operators[id].split.items[item])),

        limits_(tiling_limits(plan, op_, *part_)),
        box_(parts_of_box(plan.operators[id].split.items, item)),
        areas_(areas_of(*part_, tiling_, limits_, plan.hardware.core.dma.request_bytes, groups_of_all(plan, id, box_),
                        most_result_slots(plan, id, item))),
        shares_(unit_shares(unit_options(plan, op_, *part_), part_->shape().batches, areas_.group)),
        pipeline_(pipeline_of(plan, id, item)),
        ring_a_(pipeline_, 0, areas_.partition_a, areas_.strip_a, copies_of_a(tiling_, part_->shape(), limits_)),
        ring_b_(pipeline_, 0, areas_.partition_b, areas_.strip_b, copies_of_b(tiling_, part_->shape(), limits_)),
        cached_a_(worth_caching(plan, id, item, op_.kind == OpKind::kConv ? 1 : 0)),
        cached_b_(worth_caching(plan, id, item, op_.kind == OpKind::kConv ? 0 : 1)),
        epilogues_(plan, id, item, *part_, limits_, pipeline_, areas_.epilogue, cached_a_ || cached_b_),
        partial_tiles_(plan, id, item, pipeline_, limits_.acc_buffer_max),
        spilled_(pipeline_, tiling_, part_->shape(), limits_),
        hand_ons_(hand_ons(plan, id).at(item)),
        chain_a_(pipeline_, hand_ons_.a, Space::kBufferA),
        chain_b_(pipeline_, hand_ons_.b, Space::kBufferB),
        turns_back_(some_split_k(plan, id, box_)) {
    if (op_.kind == OpKind::kConv)
      means_.emplace(plan, id, *part_, pipeline_);
    else
      reductions_.emplace(plan, id, *part_, pipeline_, areas_.row_results);
    if (limits_.packed)
      expansion_.emplace(plan, op_, *part_, pipeline_,
                         WeightExpansion::Places{packed_places_at(tiling_, part_->shape(), limits_), tiling_.tile_n,
                                                 tiling_.partition_k, limits_.buffering},
                         cached_b_);
    if (op_.attributes.channel_factors)
      scaling_.emplace(
          plan, *part_, pipeline_,
          WeightScaling::Places{factor_places_at(tiling_, part_->shape(), limits_),
                                factor_place_bytes(tiling_.partition_k, part_->shape(), limits_), limits_.buffering},
          worth_caching(plan, id, item, 2));
    n_tiles_ = cut_columns(cut_columns(part_->columns(), tiling_.partition_n).front(), tiling_.tile_n);
    for (std::int64_t i = 0; i < (tiling_.need_splitk ? 0 : areas_.result_slots); ++i)
      result_slots_.push_back(pipeline_.add_slot());
    if (!partial_tiles_.by_shares()) return;
    tiles_at_once_ = tiles_held_by_all(plan, id, item, box_, areas_.group);
    places_of_partition_ = turns_back_;
  }

  std::vector<Instruction> run() {
    const auto m_parts = cut_range({0, part_->shape().m}, tiling_.partition_m);
    const auto n_parts = cut_columns(part_->columns(), tiling_.partition_n);
    for (const Range& batch : cut_range({0, part_->shape().batches}, areas_.group)) {
      const std::size_t outer = tiling_.outer_rowmajor ? m_parts.size() : n_parts.size();
      const std::size_t inner = tiling_.outer_rowmajor ? n_parts.size() : m_parts.size();
      for (std::size_t i = 0; i < outer; ++i)
        for (std::size_t j = 0; j < inner; ++j) {
          const std::size_t reversed = turns_back_ && i % 2 == 1 ? inner - 1 - j : j;
          const std::size_t m = tiling_.outer_rowmajor ? i : reversed, n = tiling_.outer_rowmajor ? reversed : i;
          const std::size_t im = (first_m_part(m_parts.size()) + m) % m_parts.size();
          const std::size_t in = (first_n_part(n_parts.size()) + n) % n_parts.size();
          add_partition({batch, m_parts[im], n_parts[in], static_cast<std::int64_t>(in)});
        }
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) lower_step(i);
    reduce();
    pipeline_.begin_step();
    chain_a_.finish();
    chain_b_.finish();
    return pipeline_.finish();
  }

 private:
  struct Partition {
    Range batch, m;
    Columns n;
    std::int64_t n_index;
  };
  struct Tile {
    Range m, k;
    Columns n;
    std::int64_t m_index, n_index;
    bool first_k, last_k;
  };
  struct Step {
    Partition partition;
    Tile tile;
  };

  // Cores begin with different weights; they are operand B of a product, operand A of a convolution.
  std::size_t first_m_part(std::size_t parts) const { return op_.kind == OpKind::kConv ? first_weight(parts) : 0; }
  std::size_t first_n_part(std::size_t parts) const { return op_.kind == OpKind::kConv ? 0 : first_weight(parts); }
  std::size_t first_weight(std::size_t parts) const {
    return partial_tiles_.active() || handed_on() ? 0 : first_weight_piece(plan_, id_, item_, parts);
  }

  bool handed_on() const { return tiling_.hand_on_a || tiling_.hand_on_b; }

  std::size_t first_step(std::size_t steps) const {
    return handed_on() ? static_cast<std::size_t>(hand_ons_.first_step) % steps : first_k_step(plan_, id_, item_);
  }

  // From the step that this part begins with; every other partition in reverse (PlanOptions::turn_back), but where
  // others follow it step by step.
  std::vector<Range> next_sum() {
    std::vector<Range> steps = cut_range({0, part_->shape().k}, tiling_.partition_k);
    const auto first = static_cast<std::ptrdiff_t>(first_step(steps.size()));
    std::rotate(steps.begin(), steps.begin() + first, steps.end());
    if (backwards_) std::reverse(steps.begin(), steps.end());
    backwards_ = plan_.options.turn_back && !handed_on() && !backwards_;
    return steps;
  }

  void add_partition(const Partition& p) {
    const std::vector<Range> steps = next_sum();
    for (const Range& k : steps) {
      const auto m_tiles = cut_range(p.m, tiling_.tile_m);
      const auto n_tiles = cut_columns(p.n, tiling_.tile_n);
      const std::size_t first_m = partial_tiles_.active() ? 0 : first_row_tile(plan_, id_, item_, m_tiles.size());
      const std::size_t outer = tiling_.inner_rowmajor ? m_tiles.size() : n_tiles.size();
      const std::size_t inner = tiling_.inner_rowmajor ? n_tiles.size() : m_tiles.size();
      for (std::size_t i = 0; i < outer; ++i)
        for (std::size_t j = 0; j < inner; ++j) {
          const std::size_t m = tiling_.inner_rowmajor ? i : j, in = tiling_.inner_rowmajor ? j : i;
          const std::size_t im = (first_m + m) % m_tiles.size();
          steps_.push_back({p,
                            {m_tiles[im], k, n_tiles[in], static_cast<std::int64_t>(im), static_cast<std::int64_t>(in),
                             k.begin == steps.front().begin, k.begin == steps.back().begin}});
        }
    }
  }

  void lower_step(std::size_t i) {
    const auto& [p, t] = steps_[i];
    pipeline_.begin_step();
    if (handed_on() && (i == 0 || begins_sum_step(steps_[i - 1], steps_[i]))) begin_sum_step(steps_[i]);
    const OperandBox a = box_of_a(steps_[i]);
    const std::int64_t strip = strip_of(p, t);
    OperandBox b = part_->b(p.batch, strip_columns_at(p, strip), t.k);
    const auto at_a = loaded_a(steps_[i]);
    const auto at_b = expansion_ ? expanded_b(steps_[i]) : ring_b_.find(key_of_b(p, t), strip);
    if (!expansion_) load_unless_there(b, cached_b_, Space::kBufferB, at_b, chain_b_.source(strip, at_b));
    const SlotRing::Place c = result_place(p, t);
    if (std::any_of(partials_.begin(), partials_.end(), [&](const auto& tile) { return tile.place.slot == c.slot; }))
      reduce();
    multiply(p, t, a, at_a, b, at_b, c);
    if (spilled_.holds(tile_number(t))) spilled_.add(tile_number(t), t.m.size() * t.n.count(), c, t.first_k, t.last_k);
    // Ahead of what this tile leaves to the vector unit, which waits for its product.
    if (expansion_ && i + 1 < steps_.size()) expanded_b(steps_[i + 1]);
    if (scaling_ && i + 1 < steps_.size()) loaded_a(steps_[i + 1]);
    if (t.last_k) finish_tile(p, t, c);
  }

  static bool begins_sum_step(const Step& before, const Step& step) {
    const auto key = [](const Step& s) {
      return std::tuple(s.partition.batch.begin, s.partition.m.begin, s.partition.n_index, s.tile.k.begin);
    };
    return key(before) != key(step);
  }
  void begin_sum_step(const Step& step) {
    const Partition& p = step.partition;
    chain_a_.begin_step({p.batch.begin, p.m.begin}, ring_a_.holds(key_of_a(p, step.tile)));
    chain_b_.begin_step({p.batch.begin, p.n_index}, ring_b_.holds(key_of_b(p, step.tile)));
    chain_a_.await();
    chain_b_.await();
  }

  static AreaRing::Key key_of_a(const Partition& p, const Tile& t) { return {p.batch.begin, p.m.begin, t.k.begin}; }
  static AreaRing::Key key_of_b(const Partition& p, const Tile& t) { return {p.batch.begin, p.n_index, t.k.begin}; }

  // Where the strip of B of a step lies, expanded now if it is not there yet.
  AreaRing::Found expanded_b(const Step& step) {
    const auto& [p, t] = step;
    const std::int64_t strip = strip_of(p, t);
    const auto at = ring_b_.find(key_of_b(p, t), strip);
    if (at.fresh) expansion_->expand(p.batch, strip_columns_at(p, strip), t.k, at.address, at.slot);
    return at;
  }

  void multiply(const Partition& p, const Tile& t, const OperandBox& a, const AreaRing::Found& at_a,
                const OperandBox& b, const AreaRing::Found& at_b, const SlotRing::Place& c) {
    const std::int64_t on_vector = shares_.among(p.batch.size());
    const bool accumulate = !t.first_k && !spilled_.holds(tile_number(t));
    if (on_vector > 0)
      for (const Vector& sum :
           window_sums(*part_, a, at_a.address, b, at_b.address, t.n, on_vector, c.address, accumulate))
        pipeline_.emit(Unit::kVector, sum, {at_a.slot, at_b.slot}, {c.slot});
    for (std::int64_t i = on_vector; i < p.batch.size(); ++i) {
      Matmul matmul = part_->matmul(a, at_a.address, b, at_b.address, t.n, i, c.address);
      if (tiling_.abreast > 1) matmul = abreast(matmul, *part_->shape().conv, tiling_.abreast, copy_bytes(p, a));
      matmul.accumulate = accumulate;
      matmul.a_stationary = tiling_.a_stationary;
      for (const Matmul& one : in_image_blocks(matmul, image_granule()))
        pipeline_.emit(Unit::kMatmul, one, {at_a.slot, at_b.slot}, {c.slot});
    }
  }
  int image_granule() const {
    return op_.kind == OpKind::kConv && plan_.options.image_blocks ? plan_.hardware.core.matmul.image_granule : 1;
  }

  // The strip of B that holds a tile, and its columns; a convolution has one strip per partition.
  std::int64_t strip_of(const Partition& p, const Tile& t) const {
    return part_->strips_of_b() ? (t.n.column.begin - p.n.column.begin) / areas_.strip_columns : 0;
  }
  Columns strip_columns_at(const Partition& p, std::int64_t strip) const {
    Columns columns = p.n;
    if (!part_->strips_of_b()) return columns;
    columns.column.begin = p.n.column.begin + strip * areas_.strip_columns;
    columns.column.end = std::min(p.n.column.end, columns.column.begin + areas_.strip_columns);
    return columns;
  }

  // Of the first of the columns abreast.
  OperandBox box_of_a(const Step& step) const {
    OperandBox a = part_->a(step.partition.batch, step.tile.m, step.tile.k);
    if (tiling_.abreast > 1) set_column(a, *part_->shape().conv, tiling_.abreast, 0);
    return a;
  }

  // Where the strip of A of a step lies, loaded now if it is not there yet.
  AreaRing::Found loaded_a(const Step& step) {
    const auto& [p, t] = step;
    const auto at = ring_a_.find(key_of_a(p, t), t.m_index);
    const auto from = chain_a_.source(t.m_index, at);
    if (!at.fresh) return at;
    OperandBox a = box_of_a(step);
    load_unless_there(a, cached_a_, Space::kBufferA, at, from);
    if (tiling_.abreast > 1) load_further_columns(p, t, a, at);
    if (scaling_) scale_columns(step, a, at);
    return at;
  }

  void scale_columns(const Step& step, const OperandBox& a, const AreaRing::Found& at) {
    for (std::int64_t i = 0; i < tiling_.abreast; ++i)
      scaling_->scale(a, step.tile.k, at.address + i * copy_bytes(step.partition, a), at.slot);
  }

  // Once more for each of the other columns abreast, but for groups that the vector unit computes.
  void load_further_columns(const Partition& p, const Tile& t, const OperandBox& first, const AreaRing::Found& at) {
    const Range on_array{p.batch.begin + shares_.among(p.batch.size()), p.batch.end};
    if (on_array.size() == 0) return;
    OperandBox a = part_->a(on_array, t.m, t.k);
    Address address = at.address + product_of(first.region.extents()) * limits_.d_s;
    for (std::int64_t i = 1; i < tiling_.abreast; ++i, address += copy_bytes(p, first)) {
      set_column(a, *part_->shape().conv, tiling_.abreast, i);
      load(a, cached_a_, {Space::kBufferA, address, {}}, at.slot);
    }
  }

  // From the filters of one of the columns abreast to those of the next, of the same group.
  Bytes copy_bytes(const Partition& p, const OperandBox& a) const {
    const std::int64_t groups = p.batch.size();
    return product_of(a.region.extents()) / groups * (groups - shares_.among(groups)) * limits_.d_s;
  }

  // Out of another core's buffer or, without `from`, from memory.
  void load_unless_there(OperandBox& operand, bool cached, Space space, const AreaRing::Found& at,
                         const std::optional<Box>& from) {
    if (!at.fresh) return;
    if (!from) return load(operand, cached, {space, at.address, {}}, at.slot);
    Transfer taken{.type = plan_.tensors[operand.region.tensor].type, .source = *from, .target = {space, at.address}};
    taken.shape[kBoxDims - 1] = product_of(operand.region.extents());
    taken.source.stride = taken.target.stride = {0, 0, 0, 0, bytes_of(taken.type)};
    pipeline_.load(taken, at.slot);
  }

  void load(OperandBox& operand, bool cached, ChipBox chip, Slot slot) {
    operand.region.cached = cached;
    chip.stride = packed_strides(operand.region.extents(), static_cast<int>(limits_.d_s));
    load_region(pipeline_, plan_, operand.region, chip, {slot},
                tiling_.rows_apart ? FirstMemory::kInTurn : FirstMemory::kNearest);
  }

  // Within its partition.
  std::int64_t tile_number(const Tile& t) const {
    return t.n_index * ceil_div(tiling_.partition_m, tiling_.tile_m) + t.m_index;
  }

  // Unsplit tiles take turns; with split-K every tile of the partition keeps its place over the steps of K.
  SlotRing::Place result_place(const Partition& p, const Tile& t) {
    if (!tiling_.need_splitk) {
      const std::size_t at = next_result_++ % result_slots_.size();
      return {result_slots_[at], static_cast<Address>(at) * areas_.result};
    }
    // Places are those of the first, largest partition, so that a smaller one keeps to the same slots.
    const Columns& standard = n_tiles_.at(t.n_index);
    const std::int64_t index = tile_number(t);
    if (spilled_.holds(index)) return spilled_.next_product();
    while (std::ssize(result_slots_) <= index) result_slots_.push_back(pipeline_.add_slot());
    if (spilled_.any()) return {result_slots_[index], spilled_.kept_at(index)};
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < t.n_index; ++i) before += n_tiles_[i].count();
    const std::int64_t elements = before * tiling_.partition_m + (t.m.begin - p.m.begin) * standard.count();
    return {result_slots_[index], elements * limits_.acc_element};
  }

  void finish_tile(const Partition& p, const Tile& t, const SlotRing::Place& c) {
    const EpilogueLowering::Tile tile{p.batch, t.m, t.n};
    if (!partial_tiles_.active()) {
      store_result(tile, c);
      if (reductions_) reductions_->add(p.m.begin, t.m_index, tile, c);
      return;
    }
    std::array<std::int64_t, 3> partition{p.batch.begin, p.m.begin, p.n_index};
    if (!places_of_partition_) partition = {};
    if (std::ssize(partials_) == tiles_at_once_ || partition != of_partition_) reduce();
    of_partition_ = partition;
    partials_.push_back({tile, c});
  }

  // Adding up waits for other cores: the next tile's loads and products come before it, where they leave it its place.
  void reduce() {
    if (partials_.empty()) return;
    pipeline_.begin_step();
    for (const PartialTiles::PlacedTile& finished : partial_tiles_.reduce(partials_)) {
      pipeline_.begin_step();
      store_result(finished.tile, finished.place);
    }
    partials_.clear();
  }

  void store_result(const EpilogueLowering::Tile& tile, const SlotRing::Place& c) {
    epilogues_.apply(tile, c);
    TensorRegion region;
    region.tensor = op_.output;
    region.box = part_->c(tile.batch, tile.m, tile.n);
    const ChipBox chip{Space::kAccumulator, c.address,
                       epilogues_.result_strides(tile, bytes_of(plan_.tensors[op_.output].type))};
    store_region(pipeline_, plan_, region, chip, c.slot);
    if (means_) means_->store(tile, c);
  }

  const Plan& plan_;
  const OperatorId id_;
  const std::size_t item_;
  const Operator& op_;
  const Tiling& tiling_;
  std::unique_ptr<Contraction> part_;
  TilingLimits limits_;
  const std::vector<std::size_t> box_;  // the parts that add up the result with this one, and itself
  Areas areas_;
  const UnitShares shares_;  // of the multiply-adds
  Pipeline pipeline_;
  AreaRing ring_a_, ring_b_;
  const bool cached_a_, cached_b_;
  EpilogueLowering epilogues_;
  std::optional<RowMeans> means_;            // that follow a convolution
  std::optional<RowReductions> reductions_;  // that follow a product
  PartialTiles partial_tiles_;
  SpilledSums spilled_;
  const PartHandOns hand_ons_;
  OperandChain chain_a_, chain_b_;
  const bool turns_back_;                           // at the end of every row of partitions
  std::vector<PartialTiles::PlacedTile> partials_;  // that are not added up yet, of one partition
  std::array<std::int64_t, 3> of_partition_{};
  bool places_of_partition_ = false;  // they have to be added up before the next partition begins
  std::int64_t tiles_at_once_ = 1;
  std::optional<WeightExpansion> expansion_;  // of packed weights
  std::optional<WeightScaling> scaling_;      // of weights with a factor per channel
  std::vector<Step> steps_;
  std::vector<Columns> n_tiles_;  // of the first partition
  std::vector<Slot> result_slots_;
  std::size_t next_result_ = 0;
  bool backwards_ = false;  // the next partition's steps of K
};

}  // namespace

std::vector<Instruction> lower_contraction(const Plan& plan, OperatorId id, std::size_t item) {
  return ContractionLowering(plan, id, item).run();
}

}  // namespace tilewright
