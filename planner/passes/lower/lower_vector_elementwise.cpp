// Operators of one or two operands with numpy broadcast: one vector instruction per chunk.
#include <algorithm>

#include "planner/emit/chunk.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/pointwise.h"
#include "planner/ir/requirement.h"
#include "planner/passes/lower/lower.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Elementwise final : public ChunkLowering {
 public:
  Elementwise(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item),
        rings_{AreaRing(pipeline_, 0, half(0), 0, 2), AreaRing(pipeline_, 0, half(1), 0, 2)},
        results_(pipeline_, 0, half(2), 2),
        immediate_(immediate_of()) {}

  std::vector<Instruction> run() {
    const std::int64_t fit = std::min(
        {half(0) / bytes_of(type_of(op_.inputs[0])), half(1) / element_b(), half(2) / bytes_of(type_of(op_.output))});
    require(1, fit, "its buffers");
    for (const BoxRange& box : cut_box(output_, chunk_elements(element_count(output_), fit))) lower_chunk(box);
    return pipeline_.finish();
  }

 private:
  Bytes half(int memory) const {
    const CoreSpec& core = hardware().core;
    const Bytes capacity = memory == 0 ? core.buffer_a : memory == 1 ? core.buffer_b : core.accumulator;
    return capacity / 2 / kWord * kWord;
  }
  Bytes element_b() const { return op_.inputs.size() > 1 ? bytes_of(type_of(op_.inputs[1])) : 1; }

  // Of a second operand.
  std::optional<double> immediate_of() const {
    return op_.inputs.size() < 2 ? std::nullopt : known_scalar(plan_, op_.inputs[1]);
  }

  Loaded load_input(std::size_t input, const BoxRange& box) {
    TensorRegion region;
    region.tensor = op_.inputs[input];
    region.box = required_input(plan_, op_, input, box);
    Loaded loaded = load(rings_[input], input == 0 ? Space::kBufferA : Space::kBufferB, region, input);
    // Strides as if it had the output's dimensions: repeated elements have stride 0.
    std::vector<std::int64_t> stride(box.size() - region.box.size(), 0);
    for (std::size_t d = 0; d < region.box.size(); ++d)
      stride.push_back(region.box[d].size() == box[stride.size()].size() ? loaded.view.stride[d] : 0);
    loaded.view.stride = stride;
    return loaded;
  }

  void lower_chunk(const BoxRange& box) {
    pipeline_.begin_step();
    const auto extents = extents_of(box);
    const Loaded a = load_input(0, box);
    std::vector<Slot> reads{a.slot};
    Loaded b;
    const bool loads_b = op_.inputs.size() > 1 && !immediate_;
    if (loads_b) {
      b = load_input(1, box);
      reads.push_back(b.slot);
    }
    Vector vector = pointwise(op_.kind, op_.attributes);
    if (immediate_) vector.b_is_immediate = true, vector.immediate = *immediate_;
    const SlotRing::Place place = results_.next();
    const ArrayView result = packed_view(Space::kAccumulator, place.address, extents, type_of(op_.output));
    compute(vector, extents, result, a.view, loads_b ? &b.view : nullptr, reads, place.slot);
    store(op_.output, box, result, place.slot);
  }

  static constexpr Bytes kWord = 8;
  std::array<AreaRing, 2> rings_;
  SlotRing results_;
  std::optional<double> immediate_;
};

}  // namespace

std::vector<Instruction> lower_elementwise(const Plan& plan, OperatorId id, std::size_t item) {
  return Elementwise(plan, id, item).run();
}

}  // namespace tilewright
