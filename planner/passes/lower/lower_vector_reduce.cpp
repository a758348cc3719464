// Sums, means and maxima over any dimensions: partial ones in fp32 (int32 of integers), continued over several loads
// where the reduced elements do not fit at once.
#include <algorithm>

#include "planner/emit/chunk.h"
#include "planner/emit/reduction_steps.h"
#include "planner/ir/requirement.h"
#include "planner/passes/lower/lower.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Reduce final : public ChunkLowering {
 public:
  Reduce(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item), input_(tensor(op_.inputs[0]).shape), reduced_(input_.size(), false) {
    for (const std::int64_t axis : op_.attributes.axes) reduced_[axis] = true;
    for (std::size_t d = 0; d < input_.size(); ++d) count_ *= reduced_[d] ? input_[d] : 1;
  }

  std::vector<Instruction> run() {
    const Bytes element = bytes_of(type_of(op_.inputs[0]));
    require(2 * element, hardware().core.buffer_a, "buffer A");
    require(8, hardware().core.accumulator, "the accumulate buffer");
    const std::int64_t fit_a = hardware().core.buffer_a / 2 / element, fit_acc = hardware().core.accumulator / 2 / 4;
    const std::int64_t inputs = chunk_elements(element_count(output_) * count_, fit_a);
    const std::int64_t outputs = std::clamp<std::int64_t>(std::max(inputs / count_, shortest_piece()), 1, fit_acc);
    AreaRing areas(pipeline_, 0, fit_a * element, 0, 2);
    SlotRing results(pipeline_, 0, outputs * 4, 2);
    const std::vector<BoxRange> boxes = cut_box(output_, outputs);
    const bool at_once = outputs * count_ <= fit_a && boxes.size() > 1;
    for (const BoxRange& box : boxes)
      lower_chunk(box, std::max(at_once ? fit_a : inputs, std::int64_t{1}), areas, results.next());
    return pipeline_.finish();
  }

 private:
  // Of a row whose elements are results of their own: less would be many short runs in memory.
  std::int64_t shortest_piece() const {
    const Bytes run = hardware().core.dma.request_bytes, element = bytes_of(type_of(op_.inputs[0]));
    return reduced_.back() ? 1 : std::min(output_.back().size(), ceil_div(run, element));
  }

  DataType partial_type() const { return accumulator_type(type_of(op_.output)); }

  // The output box in the input's dimensions, reduced ones with their one element.
  ArrayView sums_of(const BoxRange& in, Address address) const {
    std::vector<std::int64_t> kept = extents_of(in);
    for (std::size_t d = 0; d < kept.size(); ++d)
      if (reduced_[d]) kept[d] = 1;
    ArrayView view = packed_view(Space::kAccumulator, address, kept, partial_type());
    for (std::size_t d = 0; d < kept.size(); ++d)
      if (reduced_[d]) view.stride[d] = 0;
    return view;
  }

  void lower_chunk(const BoxRange& box, std::int64_t at_most, AreaRing& areas, const SlotRing::Place& place) {
    const BoxRange in = required_input(plan_, op_, 0, box);
    const ArrayView sums = sums_of(in, place.address);
    for (const BoxRange& part : cut_box(in, at_most)) {
      pipeline_.begin_step();
      TensorRegion region;
      region.tensor = op_.inputs[0];
      region.box = part;
      const Loaded x = load(areas, Space::kBufferA, region, 0);
      ArrayView target = sums;
      Vector add{.op = reducing_op(op_.kind)};
      for (std::size_t d = 0; d < part.size(); ++d) {
        target.address += (part[d].begin - in[d].begin) * sums.stride[d];
        add.accumulate |= reduced_[d] && part[d].begin > in[d].begin;
      }
      compute(add, extents_of(part), target, x.view, nullptr, {x.slot, place.slot}, place.slot);
    }
    const auto extents = extents_of(box);
    const ArrayView from = packed_view(Space::kAccumulator, place.address, extents, partial_type());
    const ArrayView to = packed_view(Space::kAccumulator, place.address, extents, type_of(op_.output));
    if (const auto last = finishing_step(op_.kind, count_, from.type, to.type))
      compute(*last, extents, to, from, nullptr, {place.slot}, place.slot);
    store(op_.output, box, to, place.slot);
  }

  Shape input_;
  std::vector<bool> reduced_;
  std::int64_t count_ = 1;
};

}  // namespace

std::vector<Instruction> lower_reduce(const Plan& plan, OperatorId id, std::size_t item) {
  return Reduce(plan, id, item).run();
}

}  // namespace tilewright
