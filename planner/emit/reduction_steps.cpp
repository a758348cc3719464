#include "planner/emit/reduction_steps.h"

namespace tilewright {

VectorOp reducing_op(OpKind reduction) {
  return reduction == OpKind::kReduceMax ? VectorOp::kReduceMax : VectorOp::kReduceAdd;
}

std::optional<Vector> finishing_step(OpKind reduction, std::int64_t count, DataType partial, DataType result) {
  if (reduction == OpKind::kReduceMean)
    return Vector{.op = VectorOp::kMul, .b_is_immediate = true, .immediate = 1.0 / static_cast<double>(count)};
  return partial == result ? std::nullopt : std::optional(Vector{.op = VectorOp::kCopy});
}

void finish_rows(Pipeline& pipeline, OpKind reduction, std::int64_t count, const RowResults& results, Slot slot) {
  const auto packed = [&](DataType type) -> VectorOperand {
    return {Space::kAccumulator, results.address, {0, 0, 0, 0, bytes_of(type)}, type};
  };
  std::optional<Vector> last = finishing_step(reduction, count, DataType::kFp32, results.stored);
  if (!last) return;
  last->shape = {1, 1, 1, 1, results.rows};
  last->a = packed(DataType::kFp32), last->target = packed(results.stored);
  pipeline.emit(Unit::kVector, *last, {slot}, {slot});
}

}  // namespace tilewright
