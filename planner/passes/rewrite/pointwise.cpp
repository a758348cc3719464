#include "planner/passes/rewrite/pointwise.h"

#include <limits>

#include "sim/base/error.h"

namespace tilewright {

std::optional<VectorOp> vector_op_of(OpKind kind) {
  switch (kind) {
    case OpKind::kAdd:
      return VectorOp::kAdd;
    case OpKind::kSub:
      return VectorOp::kSub;
    case OpKind::kMul:
      return VectorOp::kMul;
    case OpKind::kDiv:
      return VectorOp::kDiv;
    case OpKind::kPow:
      return VectorOp::kPow;
    case OpKind::kRelu:
      return VectorOp::kRelu;
    case OpKind::kGelu:
      return VectorOp::kGelu;
    case OpKind::kErf:
      return VectorOp::kErf;
    case OpKind::kTanh:
      return VectorOp::kTanh;
    case OpKind::kSigmoid:
      return VectorOp::kSigmoid;
    case OpKind::kSqrt:
      return VectorOp::kSqrt;
    case OpKind::kExp:
      return VectorOp::kExp;
    case OpKind::kClip:
      return VectorOp::kClip;
    case OpKind::kCast:
    case OpKind::kIdentity:
      return VectorOp::kCopy;
    case OpKind::kNeg:
      return VectorOp::kNegate;
    case OpKind::kReciprocal:
      return VectorOp::kReciprocal;
    default:
      return std::nullopt;
  }
}

Vector pointwise(OpKind kind, const Attributes& attributes) {
  const auto op = vector_op_of(kind);
  SIM_CHECK(op.has_value(), "'{}' is not of one element", name_of(kind));
  Vector vector{.op = *op};
  if (kind == OpKind::kClip) {
    vector.immediate = attributes.clip_low.value_or(std::numeric_limits<float>::lowest());
    vector.immediate2 = attributes.clip_high.value_or(std::numeric_limits<float>::max());
  }
  return vector;
}

}  // namespace tilewright
