// Softmax, LayerNorm and RMSNorm: chunks of whole rows; statistics and intermediates in fp32 in the accumulator.
#include <algorithm>

#include "planner/emit/chunk.h"
#include "planner/ir/requirement.h"
#include "planner/passes/lower/lower.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Rows final : public ChunkLowering {
 public:
  Rows(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item), in_row_(output_.size(), false) {
    for (std::size_t d = 0; d < output_.size(); ++d)
      in_row_[d] = is_softmax() ? static_cast<std::int64_t>(d) == op_.attributes.axis
                                : static_cast<std::int64_t>(d) >= op_.attributes.axis;
    for (std::size_t d = 0; d < output_.size(); ++d) row_ *= in_row_[d] ? output_[d].size() : 1;
  }

  std::vector<Instruction> run() {
    const Bytes element = bytes_of(type_of(op_.inputs[0]));
    const Bytes per_row = row_ * 4 * (is_softmax() ? 1 : 2) + 4;
    require(row_ * element, hardware().core.buffer_a, "buffer A");
    require(per_row, hardware().core.accumulator, "the accumulate buffer");
    const int copies =
        2 * row_ * element <= hardware().core.buffer_a && 2 * per_row <= hardware().core.accumulator ? 2 : 1;
    const std::int64_t fit =
        std::min(hardware().core.buffer_a / copies / (row_ * element), hardware().core.accumulator / copies / per_row);
    const std::int64_t rows = std::max<std::int64_t>(1, chunk_elements(element_count(output_), fit * row_) / row_);
    AreaRing inputs(pipeline_, 0, rows * row_ * element, 0, copies);
    SlotRing results(pipeline_, 0, rows * per_row, copies);
    for (const BoxRange& box : cut_box(output_, rows * row_, kBoxDims, in_row_))
      lower_chunk(box, inputs, results.next());
    return pipeline_.finish();
  }

 private:
  bool is_softmax() const { return op_.kind == OpKind::kSoftmax; }

  struct Chunk {
    std::vector<std::int64_t> extents;
    Slot slot;
    ArrayView work, square, statistic, result;
  };

  void lower_chunk(const BoxRange& box, AreaRing& inputs, const SlotRing::Place& place) {
    pipeline_.begin_step();
    TensorRegion region;
    region.tensor = op_.inputs[0];
    region.box = box;
    const Loaded x = load(inputs, Space::kBufferA, region, 0);
    const Chunk chunk = chunk_at(box, place);
    if (is_softmax())
      softmax(chunk, x);
    else if (op_.kind == OpKind::kRmsNorm)
      rms_norm(chunk, x);
    else
      layer_norm(chunk, x);
    store(op_.output, box, chunk.result, place.slot);
  }

  Chunk chunk_at(const BoxRange& box, const SlotRing::Place& place) const {
    Chunk chunk{extents_of(box), place.slot, {}, {}, {}, {}};
    const std::int64_t elements = element_count(box);
    Address address = place.address;
    chunk.work = packed_view(Space::kAccumulator, address, chunk.extents, DataType::kFp32);
    chunk.result = packed_view(Space::kAccumulator, address, chunk.extents, type_of(op_.output));
    address += elements * 4;
    chunk.square = packed_view(Space::kAccumulator, address, chunk.extents, DataType::kFp32);
    if (!is_softmax()) address += elements * 4;
    std::vector<std::int64_t> rows = chunk.extents;
    for (std::size_t d = 0; d < rows.size(); ++d)
      if (in_row_[d]) rows[d] = 1;
    chunk.statistic = packed_view(Space::kAccumulator, address, rows, DataType::kFp32);
    for (std::size_t d = 0; d < rows.size(); ++d)
      if (in_row_[d]) chunk.statistic.stride[d] = 0;
    return chunk;
  }

  void apply(const Chunk& chunk, VectorOp op, const ArrayView& target, const ArrayView& a, const ArrayView* b,
             std::vector<Slot> also_reads = {}) {
    also_reads.push_back(chunk.slot);
    compute({.op = op}, chunk.extents, target, a, b, std::move(also_reads), chunk.slot);
  }

  // An operation on the statistics alone: one element per row.
  void on_statistic(const Chunk& chunk, VectorOp op, double immediate) {
    std::vector<std::int64_t> rows = chunk.extents;
    for (std::size_t d = 0; d < rows.size(); ++d)
      if (in_row_[d]) rows[d] = 1;
    compute({.op = op, .b_is_immediate = is_binary(op), .immediate = immediate}, rows, chunk.statistic, chunk.statistic,
            nullptr, {chunk.slot}, chunk.slot);
  }

  void softmax(const Chunk& c, const Loaded& x) {
    apply(c, VectorOp::kReduceMax, c.statistic, x.view, nullptr, {x.slot});
    apply(c, VectorOp::kSub, c.work, x.view, &c.statistic, {x.slot});
    apply(c, VectorOp::kExp, c.work, c.work, nullptr);
    apply(c, VectorOp::kReduceAdd, c.statistic, c.work, nullptr);
    on_statistic(c, VectorOp::kReciprocal, 0);
    apply(c, VectorOp::kMul, c.result, c.work, &c.statistic);
  }

  void layer_norm(const Chunk& c, const Loaded& x) {
    const Loaded scale = parameter(1, c);
    apply(c, VectorOp::kReduceAdd, c.statistic, x.view, nullptr, {x.slot});
    on_statistic(c, VectorOp::kMul, 1.0 / static_cast<double>(row_));
    apply(c, VectorOp::kSub, c.work, x.view, &c.statistic, {x.slot});
    apply(c, VectorOp::kMul, c.square, c.work, &c.work);
    inverse_root_of_mean(c);
    apply(c, VectorOp::kMul, c.work, c.work, &c.statistic);
    const bool biased = op_.inputs.size() > 2;
    apply(c, VectorOp::kMul, biased ? c.work : c.result, c.work, &scale.view, {scale.slot});
    if (!biased) return;
    const Loaded bias = parameter(2, c);
    apply(c, VectorOp::kAdd, c.result, c.work, &bias.view, {bias.slot});
  }

  void rms_norm(const Chunk& c, const Loaded& x) {
    const Loaded scale = parameter(1, c);
    apply(c, VectorOp::kMul, c.square, x.view, &x.view, {x.slot});
    inverse_root_of_mean(c);
    apply(c, VectorOp::kMul, c.work, x.view, &c.statistic, {x.slot});
    apply(c, VectorOp::kMul, c.result, c.work, &scale.view, {scale.slot});
  }

  // 1 / sqrt(mean + epsilon) of every row of the squares.
  void inverse_root_of_mean(const Chunk& c) {
    apply(c, VectorOp::kReduceAdd, c.statistic, c.square, nullptr);
    on_statistic(c, VectorOp::kMul, 1.0 / static_cast<double>(row_));
    on_statistic(c, VectorOp::kAdd, op_.attributes.epsilon);
    on_statistic(c, VectorOp::kRsqrt, 0);
  }

  // Scale and bias are loaded once, into buffer B, and stay.
  Loaded parameter(std::size_t input, const Chunk& c) {
    const Bytes bytes = row_ * bytes_of(type_of(op_.inputs[input]));
    require(2 * bytes, hardware().core.buffer_b, "buffer B");
    while (parameters_.size() < input)
      parameters_.emplace_back(pipeline_, std::ssize(parameters_) * round_up<Bytes>(bytes, 4), bytes, 0, 1);
    TensorRegion region;
    region.tensor = op_.inputs[input];
    region.box = whole_box(tensor(region.tensor).shape);
    Loaded loaded = load(parameters_[input - 1], Space::kBufferB, region, input);
    loaded.view.stride.assign(c.extents.size(), 0);
    std::int64_t stride = bytes_of(loaded.view.type);
    for (std::size_t d = c.extents.size(); d-- > 0 && in_row_[d]; stride *= c.extents[d])
      loaded.view.stride[d] = stride;
    return loaded;
  }

  std::vector<bool> in_row_;  // dimensions that are normalised over
  std::int64_t row_ = 1;
  std::vector<AreaRing> parameters_;
};

}  // namespace

std::vector<Instruction> lower_rows(const Plan& plan, OperatorId id, std::size_t item) {
  return Rows(plan, id, item).run();
}

}  // namespace tilewright
