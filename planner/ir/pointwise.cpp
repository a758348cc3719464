#include "planner/ir/pointwise.h"

#include <limits>

#include "sim/base/error.h"

namespace tilewright {

namespace {

struct PointwiseRow {
  OpKind kind;
  VectorOp op;
};

constexpr PointwiseRow kRows[] = {
    {OpKind::kAdd, VectorOp::kAdd},
    {OpKind::kSub, VectorOp::kSub},
    {OpKind::kMul, VectorOp::kMul},
    {OpKind::kDiv, VectorOp::kDiv},
    {OpKind::kPow, VectorOp::kPow},
    {OpKind::kMax, VectorOp::kMax},
    {OpKind::kMin, VectorOp::kMin},
    {OpKind::kEqual, VectorOp::kEqual},
    {OpKind::kLess, VectorOp::kLess},
    {OpKind::kMask, VectorOp::kWhere},
    {OpKind::kRelu, VectorOp::kRelu},
    {OpKind::kGelu, VectorOp::kGelu},
    {OpKind::kGeluTanh, VectorOp::kGeluTanh},
    {OpKind::kErf, VectorOp::kErf},
    {OpKind::kTanh, VectorOp::kTanh},
    {OpKind::kSigmoid, VectorOp::kSigmoid},
    {OpKind::kSqrt, VectorOp::kSqrt},
    {OpKind::kExp, VectorOp::kExp},
    {OpKind::kClip, VectorOp::kClip},
    {OpKind::kCast, VectorOp::kCopy},
    {OpKind::kIdentity, VectorOp::kCopy},
    {OpKind::kNeg, VectorOp::kNegate},
    {OpKind::kReciprocal, VectorOp::kReciprocal},
    {OpKind::kLog, VectorOp::kLog},
    {OpKind::kSin, VectorOp::kSin},
    {OpKind::kCos, VectorOp::kCos},
    {OpKind::kAtan, VectorOp::kAtan},
    {OpKind::kFloor, VectorOp::kFloor},
    {OpKind::kTruncate, VectorOp::kTruncate},
    {OpKind::kRound, VectorOp::kRound},
    {OpKind::kSilu, VectorOp::kSilu},
    {OpKind::kQuantize, VectorOp::kQuantize},
    {OpKind::kDequantize, VectorOp::kDequantize},
    {OpKind::kRequantize, VectorOp::kRequantize},
};

constexpr const PointwiseRow* row_of(OpKind kind) {
  for (const PointwiseRow& row : kRows)
    if (row.kind == kind) return &row;
  return nullptr;
}

constexpr bool rows_are_the_pointwise_kinds() {
  for (const OperatorTraits& traits : all_operator_traits())
    if (is_pointwise(traits.kind) != (row_of(traits.kind) != nullptr)) return false;
  return true;
}
static_assert(rows_are_the_pointwise_kinds());

}  // namespace

VectorOp vector_op_of(OpKind kind) {
  const PointwiseRow* row = row_of(kind);
  SIM_CHECK(row != nullptr, "'{}' is not of one element", name_of(kind));
  return row->op;
}

Vector pointwise(OpKind kind, const Attributes& attributes) {
  Vector vector{.op = vector_op_of(kind)};
  if (kind == OpKind::kClip) {
    vector.immediate = attributes.clip_low.value_or(std::numeric_limits<float>::lowest());
    vector.immediate2 = attributes.clip_high.value_or(std::numeric_limits<float>::max());
  }
  if (has_zero_point(vector.op)) vector.immediate2 = attributes.zero_point;
  return vector;
}

}  // namespace tilewright
