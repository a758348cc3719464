#include <algorithm>
#include <optional>

#include "planner/emit/area_ring.h"
#include "planner/emit/caching.h"
#include "planner/emit/filters_abreast.h"
#include "planner/emit/region_moves.h"
#include "planner/emit/row_means.h"
#include "planner/emit/weight_scaling.h"
#include "planner/emit/window_chain/window_step.h"
#include "planner/emit/window_sums.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/abreast.h"
#include "planner/ir/access.h"
#include "planner/ir/image_blocks.h"

namespace tilewright {
namespace {

// Weights and products.
class ConvStep final : public WindowStepLowering {
 public:
  ConvStep(const WindowChain& chain, std::size_t step, std::size_t item, const WindowAreas::Step& areas,
           Pipeline& pipeline)
      : WindowStepLowering(chain, step, item, areas, pipeline),
        weights_(pipeline, areas.weights, areas.weight_bytes, 0, areas.weight_tiles),
        cached_weights_(worth_caching(plan_, at_.op, item, 1)),
        epilogues_(plan_, at_.op, item, *at_.part, at_.limits, pipeline, areas.epilogue, cached_weights_),
        means_(plan_, at_.op, *at_.part, pipeline) {
    if (areas.factor_bytes > 0)
      scaling_.emplace(plan_, *at_.part, pipeline, WeightScaling::Places{areas.factors, areas.factor_bytes},
                       worth_caching(plan_, at_.op, item, 2));
  }

  void load_first_weights() override {
    const auto units = cut_range({0, at_.units()}, areas_.tile_units);
    for (std::int64_t i = 0; i < areas_.weight_tiles; ++i) {
      const WindowTile tile{units.at(static_cast<std::size_t>(i)), {}, i};
      find_weights(tile, weights_of(tile));
    }
  }

  void compute(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c) override {
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

  void hand_on(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c, const InputRows& next) override {
    const InputArea& area = next.area();
    epilogues_.apply(epilogue_tile(tile), c,
                     {Space::kBufferB,
                      {c.slot, address_in(next, tile, visit)},
                      type(),
                      {{area.channel_stride(), area.row_stride(), area.element}}});
  }

  void store(const WindowTile& tile, std::size_t, const SlotRing::Place& c) override {
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
  Range batch_of(const WindowTile& tile) const { return at_.grouped() ? tile.units : Range{0, 1}; }
  Range rows_of(const WindowTile& tile) const { return at_.grouped() ? Range{0, at_.part->shape().m} : tile.units; }
  EpilogueLowering::Tile epilogue_tile(const WindowTile& tile) const {
    return {batch_of(tile), rows_of(tile), tile.columns};
  }

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
  OperandBox weights_of(const WindowTile& tile) const {
    OperandBox a = at_.part->a(batch_of(tile), rows_of(tile), {0, at_.part->shape().k});
    set_column(a, *at_.part->shape().conv, columns_abreast(), 0);
    return a;
  }
  // `a`: weights_of(tile).
  AreaRing::Found find_weights(const WindowTile& tile, const OperandBox& a) {
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

  AreaRing weights_;
  const bool cached_weights_;
  EpilogueLowering epilogues_;
  RowMeans means_;
  std::optional<WeightScaling> scaling_;
};

}  // namespace

std::unique_ptr<WindowStepLowering> conv_step(const WindowChain& chain, std::size_t step, std::size_t item,
                                              const WindowAreas::Step& areas, Pipeline& pipeline) {
  return std::make_unique<ConvStep>(chain, step, item, areas, pipeline);
}

}  // namespace tilewright
