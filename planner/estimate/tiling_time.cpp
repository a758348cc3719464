#include "planner/estimate/tiling_time.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/dram_path.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/abreast.h"
#include "planner/ir/axes.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/follower.h"
#include "planner/ir/groups_together.h"
#include "planner/ir/image_blocks.h"
#include "planner/ir/partials.h"
#include "planner/ir/row_pitch.h"
#include "planner/ir/spill.h"
#include "sim/base/stop.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

class Predictor {
 public:
  Predictor(const PredictionInput& input, const Tiling& tiling)
      : in_(input),
        shape_(input.part.shape()),
        tiling_(tiling),
        m_parts_(cut_range({0, shape_.m}, tiling.partition_m)),
        n_parts_(cut_columns(input.part.columns(), tiling.partition_n)),
        k_parts_(cut_range({0, shape_.k}, tiling.partition_k)),
        path_(input.hardware, input.cores),
        a_run_(run_of(tiling.partition_k, in_.pitch_of_a)),
        b_run_(b_run()),
        c_run_(c_run()),
        a_efficiency_(efficiency(tiling.partition_k, in_.pitch_of_a)),
        b_efficiency_(b_efficiency()),
        c_efficiency_(c_efficiency()),
        spill_(spill_of(tiling, shape_, input.limits)),
        vector_share_(
            unit_shares(input.units, shape_.batches, groups_together(input.part, tiling, input.limits)).vector()) {}

  double run() {
    const double expanded = expansion(all_b_loaded()) + scaling(all_a_loaded()), memory = memory_cycles();
    const double array = array_cycles() + (vector_share_ == 1 ? expanded : 0);
    // The products of a partition wait for the places of the one before it.
    const double partitions = static_cast<double>(m_parts_.size() * n_parts_.size());
    const double wait = first_wait() + held_up() * (partitions - 1);
    const double batches = static_cast<double>(shape_.batches);
    const double vector = batches * (vector_cycles(whole_c()) + expanded + partitions * spill_cycles());
    return std::max(
               {wait + batches * (array + partitions * spill_wait()), batches * memory + last_tile_.array, vector}) +
           tail();
  }

 private:
  static constexpr Bytes kContiguous = 1 << 20;  // of runs that end with the matrix
  struct Time {
    double array = 0, drain = 0;
  };
  // One behind the other: products wait for their loads.
  struct Queue {
    double loaded = 0, free = 0, busy = 0;
    void add(double load, double array) {
      loaded += load, busy += array;
      free = std::max(free, loaded) + array;
    }
  };

  // Share of the bandwidth left when loads come in runs of `run` elements, `pitch` elements apart.
  double efficiency(std::int64_t run, std::int64_t pitch) const {
    if (run >= pitch) return 1;
    return run_efficiency(in_.hardware.dram, run * in_.limits.d_s, pitch * in_.limits.d_s);
  }
  double b_efficiency() const {
    if (shape_.conv) {
      const Bytes run = conv_run(n_parts_.front()) * in_.limits.d_s;
      return share_of_visited(in_.hardware.dram, run, run);
    }
    if (!in_.part.columns_of_b_are_runs()) return efficiency(tiling_.partition_k, in_.pitch_of_b);
    if (tiling_.tile_n == shape_.n) return 1;
    // Narrow strips pay for their visits also where a partition lies by itself: their loads are short, and two of them
    // in flight do not keep DRAM busy.
    return run_efficiency(in_.hardware.dram, tiling_.tile_n * element_of_b(), pitch_of_b() * element_of_b());
  }
  // As it lies in memory along a row.
  Bytes element_of_b() const { return in_.limits.packed ? 1 : in_.limits.d_s; }
  std::int64_t pitch_of_b() const { return in_.pitch_of_b > 0 ? in_.pitch_of_b : n_parts_.front().count(); }

  // Elements of the input that lie behind each other: whole images are not interrupted between channels.
  std::int64_t conv_run(const Columns& n) const {
    const bool whole = n.row.size() == shape_.conv->rows && n.column.size() == shape_.conv->columns;
    const std::int64_t channels = whole ? ceil_div(tiling_.partition_k, shape_.conv->kernel()) : 1;
    return n.row.size() * n.column.size() * channels;
  }

  // One instruction.
  Time tile_time(std::int64_t m, const Columns& n, std::int64_t k) {
    if (vector_share_ == 1) return {window_cycles(m, n, k), 0};
    ArrayWork work{.m = m, .n = n.count(), .k = k, .a_stationary = tiling_.a_stationary, .type = in_.type};
    work.run = work.a_stationary ? n.column.size() : m;
    const MatmulSpec& spec = in_.hardware.core.matmul;
    std::int64_t instructions = 1;
    if (shape_.conv) work.kernel = shape_.conv->kernel(), work.images = n.image.size();
    if (shape_.conv && in_.image_blocks && streams_in_blocks(work.images, spec.image_granule)) {
      instructions = work.images;
      work.n /= work.images;
      work.images = image_blocks(n.row.size(), n.column.size(), spec.image_granule);
    }
    if (tiling_.abreast > 1) work = abreast(work, *shape_.conv, n.column.size(), tiling_.abreast);
    const MatmulTime time = matmul_time(spec, work);
    fill_ = static_cast<double>(time.fill);
    return {(1 - vector_share_) * static_cast<double>(instructions * time.busy), static_cast<double>(time.drain)};
  }

  // The same on the vector unit, with what it does behind the multiply-adds: instructions that several batches share
  // where a tile is a whole one.
  double window_cycles(std::int64_t m, const Columns& n, std::int64_t k) const {
    const VectorSpec& spec = in_.hardware.core.vector;
    GemmShape tile{m, n.count(), k, 1, shape_.conv};
    if (tile.conv) tile.conv->images = n.image.size(), tile.conv->channels = ceil_div(k, tile.conv->kernel());
    const bool whole = m == shape_.m && n.count() == shape_.n && k == shape_.k;
    const double alone = vector_time(spec, tile);
    const double behind = lane_time(spec, static_cast<double>(m * n.count()), static_cast<double>(in_.vector_passes));
    if (!whole || shape_.batches == 1) return alone + behind;
    tile.batches = shape_.batches;
    return vector_time(spec, tile) / static_cast<double>(shape_.batches) + behind;
  }

  // All instructions of one batch. Tiles of the same size are timed once.
  double array_cycles() {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::map<std::int64_t, double> of_m, of_k;
    std::map<Key, std::pair<Columns, double>> of_n;
    for (const Range& part : m_parts_)
      for (const Range& tile : cut_range(part, tiling_.tile_m)) ++of_m[tile.size()];
    for (const Columns& part : n_parts_)
      for (const Columns& tile : cut_columns(part, tiling_.tile_n)) {
        auto& entry = of_n[{tile.image.size(), tile.row.size(), tile.column.size(), 0, 0}];
        entry = {tile, entry.second + 1};
      }
    for (const Range& part : k_parts_) ++of_k[part.size()];
    double cycles = 0;
    for (const auto& [m, m_count] : of_m)
      for (const auto& [key, n] : of_n)
        for (const auto& [k, k_count] : of_k) {
          last_tile_ = tile_time(m, n.first, k);
          cycles += last_tile_.array * m_count * n.second * k_count;
        }
    return cycles;
  }

  double a_bytes(std::int64_t m, std::int64_t k) const {
    return copies_of_filters() * static_cast<double>(m * k * in_.limits.d_s);
  }
  // Those of columns abreast are loaded once for each, but for groups that the vector unit computes.
  double copies_of_filters() const { return 1 + (1 - vector_share_) * static_cast<double>(tiling_.abreast - 1); }
  Bytes b_bytes(const Columns& n, std::int64_t k) const {
    if (!shape_.conv) return stored_b_bytes(n.count(), k, in_.limits);
    const ConvShape& conv = *shape_.conv;
    return conv.input_elements(n.image.size(), n.row.size(), n.column.size(), ceil_div(k, conv.kernel())) *
           in_.limits.d_s;
  }

  DramRun b_run() const {
    if (shape_.conv) return run_of(conv_run(n_parts_.front()), shape_.conv->rows * shape_.conv->columns);
    if (!in_.part.columns_of_b_are_runs()) return run_of(tiling_.partition_k, in_.pitch_of_b);
    if (tiling_.tile_n >= pitch_of_b()) return {kContiguous, kContiguous};
    return {tiling_.tile_n * element_of_b(), pitch_of_b() * element_of_b()};
  }
  DramRun c_run() const {
    if (!shape_.conv) return run_of(tiling_.tile_n, shape_.n);
    const Columns tile = cut_columns(n_parts_.front(), tiling_.tile_n).front();
    const std::int64_t image = shape_.conv->rows * shape_.conv->columns;
    const bool whole_rows = tile.column.size() == shape_.conv->columns;
    return run_of(whole_rows ? tile.row.size() * tile.column.size() : tile.column.size(), image);
  }
  DramRun run_of(std::int64_t run, std::int64_t pitch) const {
    if (run >= pitch) return {kContiguous, kContiguous};
    return {run * in_.limits.d_s, pitch * in_.limits.d_s};
  }

  double memory_cycles() const {
    Bytes b = 0;
    for (const Columns& part : n_parts_) b += b_bytes(part, shape_.k);
    const double read_a = reads(tiling_.load_a, n_parts_.size()), read_b = reads(tiling_.load_b, m_parts_.size());
    const double m = m_tiles(), n = n_tiles(), k = static_cast<double>(k_parts_.size());
    TransferTime time = load_a(read_a * a_bytes(shape_.m, shape_.k), read_a * m * k);
    const double loads_of_b = in_.part.strips_of_b() ? n : static_cast<double>(n_parts_.size());
    time += load_b(read_b * static_cast<double>(b), read_b * loads_of_b * k);
    // Element operands of epilogues: like the results that they are applied to.
    const double operands = whole_c() * static_cast<double>(in_.limits.acc_bytes_per_element);
    if (operands > 0) time += path_.loaded(operands, m * n, c_run_, c_efficiency_);
    time += store_c(whole_c(), m * n);
    return time.longest();
  }
  double m_tiles() const {
    return static_cast<double>(m_parts_.size() * cut_range(m_parts_.front(), tiling_.tile_m).size());
  }
  double n_tiles() const {
    return static_cast<double>(n_parts_.size() * cut_columns(n_parts_.front(), tiling_.tile_n).size());
  }
  TransferTime load_a(double bytes, double loads) const {
    const std::int64_t each = vector_share_ == 1 ? 1 : tiling_.abreast;
    return path_.loaded(bytes, loads * static_cast<double>(each), a_run_, a_efficiency_);
  }
  TransferTime load_b(double bytes, double loads) const { return path_.loaded(bytes, loads, b_run_, b_efficiency_); }
  TransferTime store_c(double elements, double stores) const {
    return path_.stored(elements * static_cast<double>(in_.limits.d_s), stores, c_run_, c_efficiency_);
  }
  // A matrix cut along K that stays whole fills every copy of its area, so that nothing is loaded ahead: no better than
  // one that is read anew for each partition.
  double reads(double loads, std::size_t partitions) const {
    return tiling_.need_splitk && loads == 1 ? static_cast<double>(partitions) : loads;
  }
  double whole_c() const { return static_cast<double>(shape_.m) * static_cast<double>(shape_.n); }
  double c_efficiency() const {
    return c_run_.bytes == kContiguous ? 1 : share_of_visited(in_.hardware.dram, c_run_.bytes, c_run_.pitch);
  }

  // Of elements of B that come packed.
  double expansion(double elements) const {
    if (!in_.limits.packed) return 0;
    return lane_time(in_.hardware.core.vector, elements,
                     static_cast<double>(expansion_passes(in_.hardware.core.vector, in_.type)));
  }
  // Of weights that are multiplied with factors.
  double scaling(double elements) const {
    if (in_.limits.factor == 0) return 0;
    return copies_of_filters() * lane_time(in_.hardware.core.vector, elements,
                                           static_cast<double>(scaling_passes(in_.hardware.core.vector, in_.type)));
  }
  double all_a_loaded() const {
    return reads(tiling_.load_a, n_parts_.size()) * static_cast<double>(shape_.m) * static_cast<double>(shape_.k);
  }
  double all_b_loaded() const {
    return reads(tiling_.load_b, m_parts_.size()) * static_cast<double>(shape_.n) * static_cast<double>(shape_.k);
  }

  double vector_cycles(double elements) const {
    if (vector_share_ == 1) return 0;  // counted with the multiply-adds
    const double sums = vector_share_ * static_cast<double>(shape_.k);
    return lane_time(in_.hardware.core.vector, elements, sums + static_cast<double>(in_.vector_passes));
  }

  // The vector unit's over what waits in the input buffers, of all steps of a partition.
  double spill_cycles() const { return spill_ ? spills() * spill_of_tile() : 0; }
  // Products of tiles whose sums wait there follow each other at the pace of the vector unit where that is slower.
  double spill_wait() const { return spill_ ? spills() * std::max(0.0, spill_of_tile() - last_tile_.array) : 0; }
  double spills() const { return static_cast<double>(spill_->tiles()) * static_cast<double>(k_parts_.size()); }
  double spill_of_tile() const {
    const VectorSpec& spec = in_.hardware.core.vector;
    const std::int64_t sums = spill_->tile / in_.limits.acc_element;
    return spec.issue_cycles + lane_time(spec, static_cast<double>(sums), passes_of(spec, VectorOp::kAdd));
  }

  // The time by which the first pass over the tiles is longer than its array time, because strips come too late. Only
  // tiles of the first row and of the first column load anything.
  double first_wait() {
    const auto m_tiles = cut_range(m_parts_.front(), tiling_.tile_m);
    const auto n_tiles = cut_columns(n_parts_.front(), tiling_.tile_n);
    const std::size_t outer = tiling_.inner_rowmajor ? m_tiles.size() : n_tiles.size();
    const std::size_t inner = tiling_.inner_rowmajor ? n_tiles.size() : m_tiles.size();
    Queue queue;
    double rest = 0;  // array time of an outer step but for its first tile
    for (std::size_t i = 0; i < outer; ++i) {
      for (std::size_t j = 0; j < (i == 0 ? inner : 1); ++j) {
        const std::size_t m = tiling_.inner_rowmajor ? i : j, n = tiling_.inner_rowmajor ? j : i;
        queue.add(fresh_load(m_tiles[m], m, n_tiles[n], n), first_step(m_tiles[m], n_tiles[n]));
        if (i == 0 && j > 0) rest += first_step(m_tiles[m], n_tiles[n]);
      }
      if (i > 0) queue.add(0, rest);
    }
    return queue.free - queue.busy + fill_;
  }
  double first_step(const Range& m, const Columns& n) { return tile_time(m.size(), n, k_parts_.front().size()).array; }

  // To load what a tile needs and no tile before it has.
  double fresh_load(const Range& m, std::size_t im, const Columns& n, std::size_t in) {
    const std::int64_t k = k_parts_.front().size();
    TransferTime time;
    if (in == 0) time += load_a(a_bytes(m.size(), k), 1);
    const bool with_b = im == 0 && (in == 0 || in_.part.strips_of_b());
    if (with_b) time += load_b(static_cast<double>(b_bytes(in_.part.strips_of_b() ? n : n_parts_.front(), k)), 1);
    const double expanded = with_b ? expansion(static_cast<double>(n.count() * k)) : 0;
    const double scaled = in == 0 ? scaling(static_cast<double>(m.size() * k)) : 0;
    return time.longest() + expanded + scaled;
  }

  // Behind the last product: its drain, the vector unit's work and the stores. With split K all results of a partition
  // come in its last step, and what that step has no time to store is left.
  double tail() const {
    const double tile = static_cast<double>(tiling_.tile_m) * static_cast<double>(tiling_.tile_n);
    return last_tile_.drain + vector_cycles(tile) + store_c(tile, 1).longest() + held_up();
  }

  // With split K the results of a partition come tile by tile in its last step of K, and the next partition's tiles
  // need their places: by how much the vector unit and the stores are late for them.
  double held_up() const {
    if (!tiling_.need_splitk) return 0;
    const double c = static_cast<double>(tiling_.partition_m) * static_cast<double>(tiling_.partition_n);
    const double tiles = c / (static_cast<double>(tiling_.tile_m) * static_cast<double>(tiling_.tile_n));
    const double finish = std::max(vector_cycles(c), store_c(c, tiles).longest());
    const double others = last_tile_.array * (tiles - 1);
    return std::max({0.0, last_tile_.drain + finish / tiles - others, finish - last_tile_.array - 2 * others});
  }

  const PredictionInput& in_;
  const GemmShape& shape_;
  const Tiling& tiling_;
  const std::vector<Range> m_parts_;
  const std::vector<Columns> n_parts_;
  const std::vector<Range> k_parts_;
  const DramPath path_;
  const DramRun a_run_, b_run_, c_run_;
  const double a_efficiency_, b_efficiency_, c_efficiency_;
  const std::optional<Spill> spill_;
  const double vector_share_;  // of the multiply-adds
  Time last_tile_;
  double fill_ = 0;
};

}  // namespace

double predicted_cycles(const PredictionInput& input, const Tiling& tiling) {
  check_stop();
  return Predictor(input, tiling).run();
}

TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part) {
  return tiling_limits(plan, op, part, plan.hardware.core);
}

TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part, const CoreSpec& core) {
  const DataType type = plan.tensors[part.tensor_a()].type;
  TilingLimits limits;
  limits.d_s = bytes_of(type);
  limits.acc_element = bytes_of(accumulator_type(type));
  limits.mata_bw = limits.matb_bw = operand_share(plan.hardware);
  limits.packed = part.packed();
  limits.may_spill = !part.partial() && accumulator_type(type) == DataType::kFp32;
  if (op.attributes.channel_factors) limits.factor = bytes_of(plan.tensors[op.inputs[2]].type);
  limits.b_s1 = core.buffer_a;
  limits.b_s2 = core.buffer_b;
  limits.acc_buffer_max = core.accumulator - (part.partial() ? partial_area(plan.hardware) : 0);
  limits.hw_power = core.matmul.macs_per_cycle(type) * static_cast<double>(limits.d_s);
  if (op.kind == OpKind::kConv && plan.options.abreast && array_computes(plan, op, part))
    limits.array = AbreastArray{core.matmul, type};
  limits.sync_granularity = core.matmul.sync_granularity;
  limits.block_size_m = std::max(1, core.matmul.block_m);
  limits.block_size_n = std::max(1, core.matmul.block_n);
  for (const Epilogue& epilogue : op.epilogues) {
    const EpilogueForm form = form_of(plan.graph, epilogue);
    if (form == EpilogueForm::kUnary || form == EpilogueForm::kScalar) continue;
    Bytes& area = form == EpilogueForm::kElement ? limits.acc_bytes_per_element
                  : part.epilogue_per_row()      ? limits.acc_bytes_per_row
                                                 : limits.acc_bytes_per_column;
    area += bytes_of(plan.tensors[*epilogue.operand].type);
  }
  const bool whole_rows =
      op.kind != OpKind::kConv && !part.partial() && part.shape().n == plan.graph.tensor(op.output).shape.back();
  if (whole_rows) limits.row_results = possible_followers(plan, op) * bytes_of(DataType::kFp32);
  return limits;
}

namespace {

// Of operand B, 0 where its partitions lie by themselves.
std::int64_t stored_pitch_of_b(const Plan& plan, const Operator& op, const Contraction& part) {
  if (!part.columns_of_b_are_runs()) return pitch_of_rows(plan, part.tensor_b(), reduction_length(plan.graph, op));
  const Tensor& b = plan.graph.tensor(part.tensor_b());
  const bool by_partitions = is_constant(plan.graph, part.tensor_b()) && b.consumers.size() == 1;
  return by_partitions ? 0 : pitch_of_rows(plan, part.tensor_b(), b.shape.back());
}

}  // namespace

PredictionInput prediction_input(const Plan& plan, const Operator& op, const Contraction& part, std::size_t cores) {
  return {.hardware = plan.hardware,
          .part = part,
          .limits = tiling_limits(plan, op, part),
          .type = plan.tensors[part.tensor_a()].type,
          .cores = static_cast<int>(cores),
          .vector_passes = epilogue_passes(plan, op),
          .pitch_of_a = pitch_of_rows(plan, part.tensor_a(), reduction_length(plan.graph, op)),
          .pitch_of_b = stored_pitch_of_b(plan, op, part),
          .units = unit_options(plan, op, part),
          .image_blocks = plan.options.image_blocks};
}

}  // namespace tilewright
