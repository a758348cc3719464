// MaxPool and AveragePool: a reduction over the window's strides in the loaded input box.
#include <algorithm>
#include <utility>

#include "planner/emit/chunk.h"
#include "planner/emit/pool_windows.h"
#include "planner/ir/window_region.h"
#include "planner/passes/lower/lower.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Pool final : public ChunkLowering {
 public:
  Pool(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item), input_(tensor(op_.inputs[0]).shape), windows_(plan, op_) {}

  std::vector<Instruction> run() {
    const Bytes element = bytes_of(type_of(op_.inputs[0])), per_output = 4 + bytes_of(type_of(op_.output));
    const Bytes room_a = hardware().core.buffer_a / 2 / element * element, room = hardware().core.accumulator / 2;
    require(2 * per_output, hardware().core.accumulator, "the accumulate buffer");
    std::int64_t at_most = chunk_elements(element_count(output_), room / per_output);
    while (at_most > 1 && largest_input(at_most) * element > room_a) at_most /= 2;
    require(2 * largest_input(at_most) * element, hardware().core.buffer_a, "buffer A");
    AreaRing areas(pipeline_, 0, room_a, 0, 2);
    SlotRing results(pipeline_, 0, round_up<Bytes>(at_most * per_output, 4), 2);
    for (const BoxRange& box : boxes(at_most)) lower_chunk(box, areas, results.next(), at_most * 4);
    return pipeline_.finish();
  }

 private:
  // One image at a time: channels, rows and columns beside the window's two dimensions make five.
  std::vector<BoxRange> boxes(std::int64_t at_most) const { return cut_box(output_, at_most, 3); }

  std::int64_t largest_input(std::int64_t at_most) const {
    std::int64_t largest = 0;
    for (const BoxRange& box : boxes(at_most)) largest = std::max(largest, product_of(region_of(box).extents()));
    return largest;
  }

  TensorRegion region_of(const BoxRange& box) const {
    TensorRegion region;
    region.tensor = op_.inputs[0];
    region.box = box;
    region.pad_low = region.pad_high = {0, 0, 0, 0};
    region.pad_value = pool_padding(op_.kind);
    for (int d = 2; d < 4; ++d) set_window_span(region, d, windows_.window().axes[d - 2], box[d], input_[d]);
    return region;
  }

  void lower_chunk(const BoxRange& box, AreaRing& areas, const SlotRing::Place& place, Bytes sums) {
    pipeline_.begin_step();
    const Loaded x = load(areas, Space::kBufferA, region_of(box), 0);
    const auto extents = extents_of(box);
    const ArrayView result = packed_view(Space::kAccumulator, windows_.is_max() ? place.address : place.address + sums,
                                         extents, type_of(op_.output));
    const ArrayView target =
        windows_.is_max() ? result : packed_view(Space::kAccumulator, place.address, extents, DataType::kFp32);
    emit(windows_.reduce(box, x.view, target), {x.slot}, place.slot);
    if (!windows_.is_max())
      for (const PoolWindows::Pass& pass : windows_.divide(box, target, result)) emit(pass, {place.slot}, place.slot);
    store(op_.output, box, result, place.slot);
  }

  void emit(const PoolWindows::Pass& pass, std::vector<Slot> reads, Slot slot) {
    compute(pass.vector, pass.extents, pass.target, pass.a, nullptr, std::move(reads), slot);
  }

  Shape input_;
  PoolWindows windows_;
};

}  // namespace

std::vector<Instruction> lower_pool(const Plan& plan, OperatorId id, std::size_t item) {
  return Pool(plan, id, item).run();
}

}  // namespace tilewright
