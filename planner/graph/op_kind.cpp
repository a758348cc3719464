#include <array>
#include <utility>

#include "planner/graph/graph.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::array<std::pair<OpKind, std::string_view>, kOpKindCount> kNames{{
    {OpKind::kMatMul, "MatMul"},
    {OpKind::kConv, "Conv"},
    {OpKind::kAdd, "Add"},
    {OpKind::kSub, "Sub"},
    {OpKind::kMul, "Mul"},
    {OpKind::kDiv, "Div"},
    {OpKind::kPow, "Pow"},
    {OpKind::kRelu, "Relu"},
    {OpKind::kGelu, "Gelu"},
    {OpKind::kErf, "Erf"},
    {OpKind::kTanh, "Tanh"},
    {OpKind::kSigmoid, "Sigmoid"},
    {OpKind::kSqrt, "Sqrt"},
    {OpKind::kExp, "Exp"},
    {OpKind::kClip, "Clip"},
    {OpKind::kCast, "Cast"},
    {OpKind::kIdentity, "Identity"},
    {OpKind::kNeg, "Neg"},
    {OpKind::kReciprocal, "Reciprocal"},
    {OpKind::kSoftmax, "Softmax"},
    {OpKind::kLayerNorm, "LayerNormalization"},
    {OpKind::kBatchNorm, "BatchNormalization"},
    {OpKind::kMaxPool, "MaxPool"},
    {OpKind::kAveragePool, "AveragePool"},
    {OpKind::kReduceMean, "ReduceMean"},
    {OpKind::kTranspose, "Transpose"},
    {OpKind::kReshape, "Reshape"},
    {OpKind::kConcat, "Concat"},
    {OpKind::kSlice, "Slice"},
    {OpKind::kGather, "Gather"},
}};

constexpr bool names_stand_at_their_kind() {
  for (int i = 0; i < kOpKindCount; ++i)
    if (kNames[i].first != static_cast<OpKind>(i)) return false;
  return true;
}
static_assert(names_stand_at_their_kind());

}  // namespace

std::string_view name_of(OpKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  SIM_CHECK(index < kNames.size(), "operator kind {}", index);
  return kNames[index].second;
}

std::optional<OpKind> parse_op_kind(std::string_view name) {
  for (const auto& [kind, known] : kNames)
    if (known == name) return kind;
  return std::nullopt;
}

}  // namespace tilewright
