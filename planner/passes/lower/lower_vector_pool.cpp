// MaxPool and AveragePool: a reduction over the window's strides in the loaded input box.
#include <algorithm>
#include <limits>

#include "planner/emit/chunk.h"
#include "planner/ir/window_region.h"
#include "planner/passes/lower/lower.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Pool final : public ChunkLowering {
 public:
  Pool(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item), input_(tensor(op_.inputs[0]).shape), window_(window_of(plan.graph, op_)) {}

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
  bool is_max() const { return op_.kind == OpKind::kMaxPool; }
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
    region.pad_value = is_max() ? std::numeric_limits<float>::lowest() : 0;
    for (int d = 2; d < 4; ++d) set_window_span(region, d, window_.axes[d - 2], box[d], input_[d]);
    return region;
  }

  void lower_chunk(const BoxRange& box, AreaRing& areas, const SlotRing::Place& place, Bytes sums) {
    pipeline_.begin_step();
    const Loaded x = load(areas, Space::kBufferA, region_of(box), 0);
    const auto extents = extents_of(box);
    const ArrayView result =
        packed_view(Space::kAccumulator, is_max() ? place.address : place.address + sums, extents, type_of(op_.output));
    const ArrayView target =
        is_max() ? result : packed_view(Space::kAccumulator, place.address, extents, DataType::kFp32);
    reduce_windows(box, x, target, place.slot);
    if (!is_max()) divide(box, target, result, place.slot);
    store(op_.output, box, result, place.slot);
  }

  void reduce_windows(const BoxRange& box, const Loaded& x, const ArrayView& target, Slot slot) {
    const auto& [rows, columns] = window_.axes;
    const auto& s = x.view.stride;
    ArrayView taps = x.view, sums = target;
    taps.stride = {s[1], rows.stride * s[2], columns.stride * s[3], rows.dilation * s[2], columns.dilation * s[3]};
    sums.stride = {target.stride[1], target.stride[2], target.stride[3], 0, 0};
    compute({.op = is_max() ? VectorOp::kReduceMax : VectorOp::kReduceAdd},
            {box[1].size(), box[2].size(), box[3].size(), rows.size, columns.size}, sums, taps, nullptr, {x.slot},
            slot);
  }

  // Taps of the window at output position `at` that count.
  std::int64_t taps_at(int d, std::int64_t at) const {
    const Window::Axis& axis = window_.axes[d - 2];
    const std::int64_t low = op_.attributes.count_include_pad ? -axis.pad_begin : 0;
    const std::int64_t high = input_[d] + (op_.attributes.count_include_pad ? axis.pad_end : 0);
    std::int64_t taps = 0;
    for (std::int64_t t = 0; t < axis.size; ++t) {
      const std::int64_t position = at * axis.stride - axis.pad_begin + t * axis.dilation;
      taps += position >= low && position < high;
    }
    return taps;
  }

  // Runs of positions with the same number of taps.
  std::vector<Range> runs(int d, Range range) const {
    std::vector<Range> result;
    for (std::int64_t at = range.begin; at < range.end; ++at)
      if (result.empty() || taps_at(d, at) != taps_at(d, at - 1))
        result.push_back({at, at + 1});
      else
        result.back().end = at + 1;
    return result;
  }

  void divide(const BoxRange& box, const ArrayView& sums, const ArrayView& result, Slot slot) {
    for (const Range& rows : runs(2, box[2]))
      for (const Range& columns : runs(3, box[3])) {
        ArrayView from = sums, to = result;
        for (ArrayView* view : {&from, &to})
          view->address +=
              (rows.begin - box[2].begin) * view->stride[2] + (columns.begin - box[3].begin) * view->stride[3];
        const std::int64_t taps = std::max<std::int64_t>(1, taps_at(2, rows.begin) * taps_at(3, columns.begin));
        compute({.op = VectorOp::kMul, .b_is_immediate = true, .immediate = 1.0 / static_cast<double>(taps)},
                {box[0].size(), box[1].size(), rows.size(), columns.size()}, to, from, nullptr, {slot}, slot);
      }
  }

  Shape input_;
  Window window_;
};

}  // namespace

std::vector<Instruction> lower_pool(const Plan& plan, OperatorId id, std::size_t item) {
  return Pool(plan, id, item).run();
}

}  // namespace tilewright
