#include "planner/emit/window_chain/window_lowering.h"

#include <algorithm>
#include <optional>

#include "planner/emit/area_ring.h"
#include "planner/emit/caching.h"
#include "planner/emit/filters_abreast.h"
#include "planner/emit/pipeline.h"
#include "planner/emit/region_moves.h"
#include "planner/emit/row_means.h"
#include "planner/emit/weight_scaling.h"
#include "planner/emit/window_chain/input_rows.h"
#include "planner/emit/window_chain/window_areas.h"
#include "planner/emit/window_sums.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/abreast.h"
#include "planner/ir/access.h"
#include "planner/ir/image_blocks.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Of a step's result.
struct Tile {
  Range units;  // WindowStep::units()
  Columns columns;
  std::int64_t number = 0;  // of `units`
};

// One step of the chain: its input, its weights and its products.
class WindowStepLowering {
 public:
  WindowStepLowering(const WindowChain& chain, std::size_t step, std::size_t item, const WindowAreas::Step& areas,
                     Pipeline& pipeline)
      : plan_(chain.plan()),
        at_(chain.steps()[step]),
        op_(plan_.graph.op(at_.op)),
        areas_(areas),
        pipeline_(pipeline),
        input_(plan_, at_, areas.input, pipeline),
        weights_(pipeline, areas.weights, areas.weight_bytes, 0, areas.weight_tiles),
        cached_input_(worth_caching(plan_, at_.op, item, 0)),
        cached_weights_(worth_caching(plan_, at_.op, item, 1)),
        epilogues_(plan_, at_.op, item, *at_.part, at_.limits, pipeline, areas.epilogue, cached_weights_),
        means_(plan_, at_.op, *at_.part, pipeline) {
    if (areas.factor_bytes > 0)
      scaling_.emplace(plan_, *at_.part, pipeline, WeightScaling::Places{areas.factors, areas.factor_bytes},
                       worth_caching(plan_, at_.op, item, 2));
  }

  InputRows& input() { return input_; }
  void begin() {
    pipeline_.begin_step();
    pipeline_.set_operator(program_operator(at_.op));
  }
  void load_input(const WindowVisit& visit, std::size_t number) { input_.load(visit.image, number, cached_input_); }

  std::vector<Tile> tiles(const WindowVisit& visit, std::size_t step) const {
    std::vector<Tile> tiles;
    const auto units = cut_range({0, at_.units()}, areas_.tile_units);
    if (visit.made[step].size() == 0) return tiles;
    for (std::size_t i = 0; i < units.size(); ++i)
      for (const Range& rows : cut_range(visit.made[step], areas_.tile_rows))
        tiles.push_back({units[i], {visit.image, rows, at_.box[3]}, static_cast<std::int64_t>(i)});
    return tiles;
  }

  // Of the first tiles, as many as there is room for.
  void load_first_weights() {
    const auto units = cut_range({0, at_.units()}, areas_.tile_units);
    for (std::int64_t i = 0; i < areas_.weight_tiles; ++i) {
      const Tile tile{units.at(static_cast<std::size_t>(i)), {}, i};
      find_weights(tile, weights_of(tile));
    }
  }

  void multiply(const Tile& tile, std::size_t visit, const SlotRing::Place& c) {
    const Range batch = batch_of(tile), k{0, at_.part->shape().k};
    const OperandBox a = weights_of(tile);
    const AreaRing::Found weights = find_weights(tile, a);
    OperandBox b = at_.part->b(batch, tile.columns, k);
    const Address address = input_.lay_out(b, visit);
    std::vector<Slot> reads = input_.slots(visit);
    reads.push_back(weights.slot);
    if (areas_.unit.on_vector) {
      for (const Vector& sum :
           window_sums(*at_.part, a, weights.address, b, address, tile.columns, batch.size(), c.address, false))
        pipeline_.emit(Unit::kVector, sum, reads, {c.slot});
      return;
    }
    for (std::int64_t i = 0; i < batch.size(); ++i) {
      Matmul matmul = at_.part->matmul(a, weights.address, b, address, tile.columns, i, c.address);
      matmul.a_stationary = holds_a(matmul);
      matmul = abreast(matmul, *at_.part->shape().conv, columns_abreast(), column_bytes(a));
      for (const Matmul& one : in_image_blocks(matmul, image_granule()))
        pipeline_.emit(Unit::kMatmul, one, reads, {c.slot});
    }
  }

  // To where the next step reads it.
  void hand_on(const Tile& tile, const SlotRing::Place& c, const InputRows& next, std::size_t visit) {
    const InputArea& area = next.area();
    const Address target = area.at(first_channel(tile), next.position(visit, tile.columns.row.begin),
                                   area.pad_columns + tile.columns.column.begin);
    epilogues_.apply(
        epilogue_tile(tile), c,
        {Space::kBufferB, {c.slot, target}, type(), {{area.channel_stride(), area.row_stride(), area.element}}});
  }

  void store(const Tile& tile, const SlotRing::Place& c) {
    const EpilogueLowering::Tile finished = epilogue_tile(tile);
    epilogues_.apply(finished, c);
    TensorRegion region;
    region.tensor = op_.output;
    region.box = at_.part->c(finished.batch, finished.m, finished.n);
    const ChipBox chip{Space::kAccumulator, c.address, epilogues_.result_strides(finished, bytes_of(type()))};
    store_region(pipeline_, plan_, region, chip, c.slot);
    means_.store(finished, c);
  }

 private:
  DataType type() const { return plan_.tensors[op_.output].type; }
  Range batch_of(const Tile& tile) const { return at_.grouped() ? tile.units : Range{0, 1}; }
  Range rows_of(const Tile& tile) const { return at_.grouped() ? Range{0, at_.part->shape().m} : tile.units; }
  EpilogueLowering::Tile epilogue_tile(const Tile& tile) const { return {batch_of(tile), rows_of(tile), tile.columns}; }
  // Of the part's result.
  std::int64_t first_channel(const Tile& tile) const { return tile.units.begin * at_.channels_per_unit(); }

  int image_granule() const { return plan_.options.image_blocks ? plan_.hardware.core.matmul.image_granule : 1; }
  bool holds_a(const Matmul& matmul) const {
    ArrayWork work{.m = matmul.m[2], .n = matmul.n[1] * matmul.n[2], .k = at_.part->shape().k, .type = matmul.type};
    work.kernel = at_.part->shape().conv->kernel();
    if (columns_abreast() > 1) work = abreast(work, *at_.part->shape().conv, matmul.n[2], columns_abreast());
    return shorter_with_a_held(plan_.hardware.core.matmul, work);
  }

  std::int64_t columns_abreast() const { return areas_.unit.abreast; }
  // Of the filters of one of them.
  Bytes column_bytes(const OperandBox& a) const { return product_of(a.region.extents()) * at_.limits.d_s; }

  // Of the first of the columns abreast.
  OperandBox weights_of(const Tile& tile) const {
    OperandBox a = at_.part->a(batch_of(tile), rows_of(tile), {0, at_.part->shape().k});
    set_column(a, *at_.part->shape().conv, columns_abreast(), 0);
    return a;
  }
  // `a`: weights_of(tile).
  AreaRing::Found find_weights(const Tile& tile, const OperandBox& a) {
    const AreaRing::Found found = weights_.find({tile.number});
    if (found.fresh) load_weights(a, found);
    return found;
  }
  void load_weights(OperandBox a, const AreaRing::Found& place) {
    a.region.cached = cached_weights_;
    const auto strides = packed_strides(a.region.extents(), static_cast<int>(at_.limits.d_s));
    for (std::int64_t column = 0; column < columns_abreast(); ++column) {
      set_column(a, *at_.part->shape().conv, columns_abreast(), column);
      const ChipBox chip{Space::kBufferA, place.address + column * column_bytes(a), strides};
      load_region(pipeline_, plan_, a.region, chip, {place.slot});
    }
    if (!scaling_) return;
    for (std::int64_t column = 0; column < columns_abreast(); ++column)
      scaling_->scale(a, {0, at_.part->shape().k}, place.address + column * column_bytes(a), place.slot);
  }

  const Plan& plan_;
  const WindowStep& at_;
  const Operator& op_;
  const WindowAreas::Step& areas_;
  Pipeline& pipeline_;
  InputRows input_;
  AreaRing weights_;
  const bool cached_input_, cached_weights_;
  EpilogueLowering epilogues_;
  RowMeans means_;
  std::optional<WeightScaling> scaling_;
};

class WindowLowering {
 public:
  WindowLowering(const Plan& plan, const OperatorGroup& group, std::size_t item, std::int64_t rows, std::size_t visits)
      : chain_(plan, group, plan.operators[group.members.back()].split.items.at(item).output),
        visits_(chain_.visits(rows)),
        areas_(areas_of(rows)),
        pipeline_(pipeline_of(plan, group.members.back(), item)),
        results_(pipeline_, areas_.results, areas_.result_bytes, areas_.result_tiles) {
    visits_.resize(std::min(visits_.size(), visits));
    steps_.reserve(areas_.steps.size());
    for (std::size_t step = 0; step < areas_.steps.size(); ++step)
      steps_.emplace_back(chain_, step, item, areas_.steps[step], pipeline_);
  }

  std::vector<Instruction> run() {
    load_weights_before_rows();
    for (std::size_t step = 1; step < steps_.size(); ++step) {
      steps_[step].begin();
      steps_[step].input().fill_columns();
    }
    for (std::size_t time = 0; time + 1 < visits_.size() + steps_.size(); ++time)
      for (std::size_t step = 0; step < steps_.size(); ++step)
        if (time >= step && time - step < visits_.size()) make(step, time - step);
    return pipeline_.finish();
  }

 private:
  WindowAreas areas_of(std::int64_t rows) const {
    std::optional<WindowAreas> areas = window_areas(chain_, rows);
    SIM_CHECK(areas, "blocks of {} rows do not fit", rows);
    return std::move(*areas);
  }

  // Rows wait until they have been written, weights need not: those of the first convolution, which waits for both, and
  // of grouped ones, which are short. Others would keep the rows waiting.
  void load_weights_before_rows() {
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (step > 0 && !chain_.steps()[step].grouped()) continue;
      steps_[step].begin();
      steps_[step].load_first_weights();
    }
  }

  void make(std::size_t step, std::size_t visit) {
    WindowStepLowering& at = steps_[step];
    const bool last = step + 1 == steps_.size();
    at.begin();
    if (step == 0) at.load_input(visits_[visit], visit);
    if (!last) steps_[step + 1].input().keep(visit);
    for (const Tile& tile : at.tiles(visits_[visit], step)) {
      const SlotRing::Place c = results_.next();
      at.multiply(tile, visit, c);
      if (last)
        at.store(tile, c);
      else
        at.hand_on(tile, c, steps_[step + 1].input(), visit);
      at.begin();
    }
  }

  const WindowChain chain_;
  std::vector<WindowVisit> visits_;
  const WindowAreas areas_;
  Pipeline pipeline_;
  SlotRing results_;
  std::vector<WindowStepLowering> steps_;
};

}  // namespace

std::vector<Instruction> lower_windows(const Plan& plan, const OperatorGroup& group, std::size_t item,
                                       std::int64_t rows, std::size_t visits) {
  return WindowLowering(plan, group, item, rows, visits).run();
}

}  // namespace tilewright
