#include "planner/ir/axes.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {
namespace {

bool lists(const std::vector<std::int64_t>& axes, std::size_t dimension) {
  return std::count(axes.begin(), axes.end(), static_cast<std::int64_t>(dimension)) > 0;
}

// Operands with numpy broadcast, aligned at the last dimension.
int aligned(const Shape& input, const Shape& output, std::size_t dimension) {
  if (input[dimension] == 1) return kWholeAxis;
  return static_cast<int>(output.size() - input.size() + dimension);
}

int matmul_axis(const Shape& input, const Shape& output, bool operand_a, bool transposed, std::size_t dimension) {
  const std::size_t rank = input.size();
  if (dimension + 2 < rank) return aligned(input, output, dimension);
  const bool last = (dimension + 1 == rank) != transposed;
  if (operand_a) return last ? kReducedAxis : static_cast<int>(output.size()) - 2;
  return last ? static_cast<int>(output.size()) - 1 : kReducedAxis;
}

int conv_axis(const Operator& op, std::size_t input, std::size_t dimension) {
  const int channels = op.attributes.groups > 1 ? 1 : kReducedAxis;
  if (input == 0) return dimension == 1 ? channels : static_cast<int>(dimension);
  if (dimension == 0) return 1;
  return input == 1 && dimension == 1 ? kReducedAxis : kWholeAxis;
}

int mean_axis(const Operator& op, std::size_t dimension) {
  if (lists(op.attributes.axes, dimension)) return kReducedAxis;
  int axis = static_cast<int>(dimension);
  for (const std::int64_t reduced : op.attributes.axes)
    axis -= !op.attributes.keepdims && reduced < static_cast<std::int64_t>(dimension);
  return axis;
}

int gather_axis(const Graph& graph, const Operator& op, std::size_t input, std::size_t dimension) {
  const int axis = static_cast<int>(op.attributes.axis), at = static_cast<int>(dimension);
  if (input == 1) return axis + at;
  const int indices = static_cast<int>(graph.tensor(op.inputs[1]).shape.size());
  if (at == axis) return kWholeAxis;
  return at < axis ? at : at + indices - 1;
}

}  // namespace

int axis_of(const Graph& graph, const Operator& op, std::size_t input, std::size_t dimension) {
  const Shape& shape = graph.tensor(op.inputs[input]).shape;
  const Shape& output = graph.tensor(op.output).shape;
  const Attributes& a = op.attributes;
  const int same = static_cast<int>(dimension);
  switch (traits_of(op.kind).axes) {
    case AxisMap::kMatrices:
      if (input > 1) return aligned(shape, output, dimension);
      return matmul_axis(shape, output, input == 0, input == 0 ? a.transpose_a : a.transpose_b, dimension);
    case AxisMap::kPackedMatrices:
      return matmul_axis(shape, output, input == 0, false, dimension);
    case AxisMap::kConvolution:
      return conv_axis(op, input, dimension);
    case AxisMap::kReduced:
      return mean_axis(op, dimension);
    case AxisMap::kPermuted:
      return static_cast<int>(std::find(a.permutation.begin(), a.permutation.end(), same) - a.permutation.begin());
    case AxisMap::kGathered:
      return gather_axis(graph, op, input, dimension);
    case AxisMap::kConcatenated:
      return same == a.axis ? kWholeAxis : same;
    case AxisMap::kSliced:
      return lists(a.axes, dimension) ? kWholeAxis : same;
    case AxisMap::kRenamed:
      return kWholeAxis;
    case AxisMap::kWindow:
      return same;
    case AxisMap::kAligned:
      if (is_pointwise(op.kind)) return aligned(shape, output, dimension);
      return input == 0 && can_cut(op, dimension) ? same : kWholeAxis;
  }
  SIM_CHECK(false, "operator kind {}", static_cast<int>(op.kind));
}

std::int64_t reduction_length(const Graph& graph, const Operator& op) {
  const Shape& shape = graph.tensor(op.inputs[op.kind == OpKind::kConv ? 1 : 0]).shape;
  if (op.kind == OpKind::kConv) return shape[1] * shape[2] * shape[3];
  return op.attributes.transpose_a ? shape[shape.size() - 2] : shape.back();
}

std::int64_t kernel_of(const Graph& graph, const Operator& op) {
  if (op.kind != OpKind::kConv) return 1;
  const Shape& weights = graph.tensor(op.inputs[1]).shape;
  return weights[2] * weights[3];
}

bool reduces_rows(const Operator& op, const Shape& input) {
  return traits_of(op.kind).family == OperatorFamily::kReduction && op.attributes.keepdims &&
         op.attributes.axes == std::vector{std::ssize(input) - 1};
}

bool can_cut(const Operator& op, std::size_t dimension) {
  const auto d = static_cast<std::int64_t>(dimension);
  if (traits_of(op.kind).family != OperatorFamily::kNormalisation) return true;
  return traits_of(op.kind).is(kOneAxis) ? d != op.attributes.axis : d < op.attributes.axis;
}

}  // namespace tilewright
