// The vector unit reads windows where the input's rows lie. Maxima go to where they are wanted, means by way of the
// accumulate buffer, where their sums are.
#include "planner/emit/pool_windows.h"
#include "planner/emit/region_moves.h"
#include "planner/emit/window_chain/window_step.h"
#include "planner/ir/access.h"
#include "planner/ir/window_region.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class PoolStep final : public WindowStepLowering {
 public:
  PoolStep(const WindowChain& chain, std::size_t step, std::size_t item, const WindowAreas::Step& areas,
           Pipeline& pipeline)
      : WindowStepLowering(chain, step, item, areas, pipeline),
        windows_(plan_, op_),
        rows_on_lanes_(plan_.hardware.core.vector.reduction_cycles > 0) {}

  void compute(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c) override {
    if (windows_.is_max()) return;
    const ArrayView sums = packed(tile, c, DataType::kFp32);
    emit(windows_.reduce(box_of(tile), covered(tile, visit), sums), input_.slots(visit), c.slot);
    for (const PoolWindows::Pass& pass : windows_.divide(box_of(tile), sums, sums)) emit(pass, {c.slot}, c.slot);
  }

  void hand_on(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c, const InputRows& next) override {
    const InputArea& area = next.area();
    finish(tile, visit, c,
           {Space::kBufferB,
            address_in(next, tile, visit),
            {0, area.channel_stride(), area.row_stride(), area.element},
            type()});
  }

  void store(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c) override {
    const ArrayView result = packed(tile, c, type());
    finish(tile, visit, c, result);
    TensorRegion region;
    region.tensor = op_.output;
    region.box = box_of(tile);
    store_region(pipeline_, plan_, region, {Space::kAccumulator, c.address, result.stride}, c.slot);
  }

 private:
  BoxRange box_of(const WindowTile& tile) const {
    const std::int64_t first = at_.box[1].begin;
    return {
        tile.columns.image, {first + tile.units.begin, first + tile.units.end}, tile.columns.row, tile.columns.column};
  }
  std::vector<std::int64_t> extents_of(const WindowTile& tile) const { return tilewright::extents_of(box_of(tile)); }
  ArrayView packed(const WindowTile& tile, const SlotRing::Place& c, DataType type) const {
    return packed_view(Space::kAccumulator, c.address, extents_of(tile), type);
  }

  // What the tile's windows cover of the input's rows.
  ArrayView covered(const WindowTile& tile, std::size_t visit) const {
    const InputArea& area = input_.area();
    const std::int64_t row = window_span(at_.window.axes[0], tile.columns.row).begin;
    const std::int64_t column = tile.columns.column.begin * at_.window.axes[1].stride;
    return {Space::kBufferB,
            area.at(box_of(tile)[1].begin - at_.input[1].begin, input_.position(visit, row), column),
            {0, area.channel_stride(), area.row_stride(), area.element},
            plan_.tensors[op_.inputs[0]].type};
  }

  void finish(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c, const ArrayView& target) {
    if (windows_.is_max())
      emit(windows_.reduce(box_of(tile), covered(tile, visit), target), input_.slots(visit), c.slot);
    else
      emit({{.op = VectorOp::kCopy}, extents_of(tile), target, packed(tile, c, DataType::kFp32)}, {c.slot}, c.slot);
  }

  void emit(const PoolWindows::Pass& pass, const std::vector<Slot>& reads, Slot written) {
    const auto instruction = on_arrays(pass.vector, pass.extents, pass.target, pass.a, nullptr, rows_on_lanes_);
    SIM_CHECK(instruction, "a tile of '{}' of more than five dimensions", op_.name);
    pipeline_.emit(Unit::kVector, *instruction, reads, {written});
  }

  const PoolWindows windows_;
  const bool rows_on_lanes_;
};

}  // namespace

std::unique_ptr<WindowStepLowering> pool_step(const WindowChain& chain, std::size_t step, std::size_t item,
                                              const WindowAreas::Step& areas, Pipeline& pipeline) {
  return std::make_unique<PoolStep>(chain, step, item, areas, pipeline);
}

}  // namespace tilewright
