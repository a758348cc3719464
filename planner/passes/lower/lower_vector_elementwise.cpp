// Operators of one or two operands with numpy broadcast: one vector instruction per chunk. Of quantised operands
// (Attributes::levels) one more for each: they are dequantised beside the result, in fp32, and the result is quantised.
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
    const Bytes element = bytes_of(type_of(op_.output)) + (levels().empty() ? 0 : kFloat * std::ssize(op_.inputs));
    const std::int64_t fit =
        std::min({half(0) / bytes_of(type_of(op_.inputs[0])), half(1) / element_b(), half(2) / element});
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
    return op_.inputs.size() < 2 || !op_.attributes.levels.empty() ? std::nullopt : known_scalar(plan_, op_.inputs[1]);
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
    const SlotRing::Place place = results_.next();
    if (!levels().empty()) return lower_levels(box, a.view, loads_b ? &b.view : nullptr, reads, place);
    Vector vector = pointwise(op_.kind, op_.attributes);
    if (immediate_) vector.b_is_immediate = true, vector.immediate = *immediate_;
    const ArrayView result = packed_view(Space::kAccumulator, place.address, extents, type_of(op_.output));
    compute(vector, extents, result, a.view, loads_b ? &b.view : nullptr, reads, place.slot);
    store(op_.output, box, result, place.slot);
  }

  const std::vector<QuantLevel>& levels() const { return op_.attributes.levels; }

  static Vector scaling(VectorOp op, const QuantLevel& level) {
    return {.op = op, .b_is_immediate = true, .immediate = level.scale, .immediate2 = level.zero_point};
  }

  // The floats of the operands lie one behind the other, the quantised result behind them.
  void lower_levels(const BoxRange& box, const ArrayView& a, const ArrayView* b, const std::vector<Slot>& reads,
                    const SlotRing::Place& place) {
    const auto extents = extents_of(box);
    const Bytes floats = kFloat * element_count(box);
    const auto area = [&](int i, DataType type) {
      return packed_view(Space::kAccumulator, place.address + i * floats, extents, type);
    };
    const ArrayView first = area(0, DataType::kFp32), second = area(1, DataType::kFp32);
    const ArrayView result = area(b ? 2 : 1, type_of(op_.output));
    compute(scaling(VectorOp::kDequantize, levels()[0]), extents, first, a, nullptr, reads, place.slot);
    if (b) compute(scaling(VectorOp::kDequantize, levels()[1]), extents, second, *b, nullptr, reads, place.slot);
    if (vector_op_of(op_.kind) != VectorOp::kCopy)
      compute(pointwise(op_.kind, op_.attributes), extents, first, first, b ? &second : nullptr, {place.slot},
              place.slot);
    compute(scaling(VectorOp::kQuantize, levels().back()), extents, result, first, nullptr, {place.slot}, place.slot);
    store(op_.output, box, result, place.slot);
  }

  static constexpr Bytes kWord = 8, kFloat = 4;
  std::array<AreaRing, 2> rings_;
  SlotRing results_;
  std::optional<double> immediate_;
};

}  // namespace

std::vector<Instruction> lower_elementwise(const Plan& plan, OperatorId id, std::size_t item) {
  return Elementwise(plan, id, item).run();
}

}  // namespace tilewright
