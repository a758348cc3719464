#include <array>

#include "planner/graph/graph.h"
#include "sim/base/error.h"

namespace tilewright {

std::string_view name_of(OpKind kind) {
  switch (kind) {
    case OpKind::kMatMul:
      return "MatMul";
    case OpKind::kConv:
      return "Conv";
    case OpKind::kAdd:
      return "Add";
    case OpKind::kSub:
      return "Sub";
    case OpKind::kMul:
      return "Mul";
    case OpKind::kDiv:
      return "Div";
    case OpKind::kPow:
      return "Pow";
    case OpKind::kRelu:
      return "Relu";
    case OpKind::kGelu:
      return "Gelu";
    case OpKind::kErf:
      return "Erf";
    case OpKind::kTanh:
      return "Tanh";
    case OpKind::kSigmoid:
      return "Sigmoid";
    case OpKind::kSqrt:
      return "Sqrt";
    case OpKind::kExp:
      return "Exp";
    case OpKind::kClip:
      return "Clip";
    case OpKind::kCast:
      return "Cast";
    case OpKind::kIdentity:
      return "Identity";
    case OpKind::kNeg:
      return "Neg";
    case OpKind::kReciprocal:
      return "Reciprocal";
    case OpKind::kSoftmax:
      return "Softmax";
    case OpKind::kLayerNorm:
      return "LayerNormalization";
    case OpKind::kBatchNorm:
      return "BatchNormalization";
    case OpKind::kMaxPool:
      return "MaxPool";
    case OpKind::kAveragePool:
      return "AveragePool";
    case OpKind::kReduceMean:
      return "ReduceMean";
    case OpKind::kTranspose:
      return "Transpose";
    case OpKind::kReshape:
      return "Reshape";
    case OpKind::kConcat:
      return "Concat";
    case OpKind::kSlice:
      return "Slice";
    case OpKind::kGather:
      return "Gather";
  }
  SIM_CHECK(false, "operator kind {}", static_cast<int>(kind));
  return {};
}

std::optional<OpKind> parse_op_kind(std::string_view name) {
  for (int kind = 0; kind < kOpKindCount; ++kind)
    if (name_of(static_cast<OpKind>(kind)) == name) return static_cast<OpKind>(kind);
  return std::nullopt;
}

}  // namespace tilewright
