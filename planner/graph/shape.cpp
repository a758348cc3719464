// Output shapes and multiply-add counts, one rule per family of operators.
#include <fmt/format.h>

#include <algorithm>

#include "planner/graph/broadcast.h"
#include "planner/graph/graph.h"
#include "planner/graph/shape_rules.h"
#include "sim/base/checked.h"
#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace shape_rules {

void fail(const Operator& op, const std::string& what) { throw UserError(place_of(op), what); }

const Shape& input(const Graph& graph, const Operator& op, std::size_t index) {
  if (index >= op.inputs.size()) fail(op, fmt::format("has {} inputs, needs at least {}", op.inputs.size(), index + 1));
  return graph.tensor(op.inputs[index]).shape;
}

void expect_rank(const Operator& op, const Shape& shape, std::size_t rank, const char* what) {
  if (shape.size() != rank) fail(op, fmt::format("{} has shape {}, expected rank {}", what, to_string(shape), rank));
}

void expect_equal(const Operator& op, std::int64_t got, std::int64_t expected, const char* what) {
  if (got != expected) fail(op, fmt::format("{} is {}, expected {}", what, got, expected));
}

std::size_t checked_axis(const Operator& op, std::int64_t axis, std::size_t rank) {
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
    fail(op, fmt::format("axis {} of a rank {} tensor", axis, rank));
  return static_cast<std::size_t>(axis);
}

}  // namespace shape_rules

namespace {

using namespace shape_rules;

Shape broadcast_or_fail(const Operator& op, const Shape& a, const Shape& b) {
  if (auto shape = broadcast(a, b)) return *shape;
  fail(op, fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b)));
}

Shape matrix_operand(const Graph& graph, const Operator& op, std::size_t index, bool transpose) {
  Shape shape = input(graph, op, index);
  if (shape.size() < 2)
    fail(op, fmt::format("operand {} has shape {}, expected rank 2 or more", index, to_string(shape)));
  if (transpose) std::swap(shape.back(), shape[shape.size() - 2]);
  return shape;
}

Shape product_shape(const Graph& graph, const Operator& op) {
  const Shape a = matrix_operand(graph, op, 0, op.attributes.transpose_a);
  const Shape b = matrix_operand(graph, op, 1, op.attributes.transpose_b);
  const bool extended = op.attributes.zero_extend && b[b.size() - 2] < a.back();
  if (a.back() != b[b.size() - 2] && !extended)
    fail(op, fmt::format("inner dimensions of {} and {} differ", to_string(a), to_string(b)));
  Shape out = broadcast_or_fail(op, Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  if (op.inputs.size() > 2 && broadcast_or_fail(op, out, input(graph, op, 2)) != out)
    fail(op, fmt::format("bias {} is larger than the result {}", to_string(input(graph, op, 2)), to_string(out)));
  return out;
}

// Of the largest tensor.
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

Shape packed_product_shape(const Graph& graph, const Operator& op) {
  const Attributes& a = op.attributes;
  const Shape x = matrix_operand(graph, op, 0, false);
  const Shape &bytes = input(graph, op, 1), &scales = input(graph, op, 2);
  if (graph.tensor(op.inputs[1]).producer) fail(op, "its weights are computed, expected a constant or an input");
  expect_rank(op, bytes, 2, "the weights");
  expect_rank(op, scales, 2, "the scales");
  if (a.bits != 4 && a.bits != 8) fail(op, fmt::format("bits is {}, expected 4|8", a.bits));
  if (a.group_size < 1 || a.group_size > kMostRows)
    fail(op, fmt::format("group_size is {}, expected 1 to 2^40", a.group_size));
  expect_equal(op, bytes[0], ceil_div(x.back() * a.bits, std::int64_t{8}), "the rows of the weights' bytes");
  expect_equal(op, scales[0], ceil_div(x.back(), a.group_size), "the rows of the scales");
  expect_equal(op, scales[1], bytes[1], "the columns of the scales");
  Shape out(x.begin(), x.end() - 1);
  out.push_back(bytes[1]);
  return out;
}

Shape normalised_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  const std::size_t axis = checked_axis(op, op.attributes.axis, x.size());
  if (role_of(op.kind, 1) == InputRole::kNone) return x;
  const Shape normalised(x.begin() + static_cast<std::ptrdiff_t>(axis), x.end());
  for (std::size_t i = 1; i < std::min<std::size_t>(std::max<std::size_t>(op.inputs.size(), 2), 3); ++i)
    expect_equal(op, element_count(input(graph, op, i)), element_count(normalised), "the scale or bias length");
  return x;
}

Shape batch_norm_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  if (x.size() < 2) fail(op, fmt::format("input has shape {}, expected [N, C, ...]", to_string(x)));
  for (std::size_t i = 1; i < 5; ++i)
    expect_equal(op, element_count(input(graph, op, i)), x[1], "the length of scale, bias, mean or variance");
  return x;
}

Shape aligned_shape(const Graph& graph, const Operator& op) {
  switch (traits_of(op.kind).family) {
    case OperatorFamily::kBinary:
      return broadcast_or_fail(op, input(graph, op, 0), input(graph, op, 1));
    case OperatorFamily::kNormalisation:
      return normalised_shape(graph, op);
    case OperatorFamily::kBatchNorm:
      return batch_norm_shape(graph, op);
    default:
      return input(graph, op, 0);
  }
}

std::int64_t macs_of(const Operator& op, std::int64_t outputs, std::int64_t each) {
  return checked_product(outputs, each, [&] { fail(op, "needs more than 2^63 multiply-adds"); });
}

}  // namespace

Shape infer_shape(const Graph& graph, const Operator& op) {
  if (op.inputs.size() > max_inputs(op.kind))
    fail(op, fmt::format("has {} inputs, takes at most {}", op.inputs.size(), max_inputs(op.kind)));
  switch (traits_of(op.kind).axes) {
    case AxisMap::kMatrices:
      return product_shape(graph, op);
    case AxisMap::kPackedMatrices:
      return packed_product_shape(graph, op);
    case AxisMap::kConvolution:
      return conv_shape(graph, op);
    case AxisMap::kAligned:
      return aligned_shape(graph, op);
    case AxisMap::kWindow:
      return pool_shape(graph, op);
    case AxisMap::kReduced:
      return reduced_shape(graph, op);
    case AxisMap::kPermuted:
      return transposed_shape(graph, op);
    case AxisMap::kRenamed:
      return reshaped_shape(graph, op);
    case AxisMap::kConcatenated:
      return concatenated_shape(graph, op);
    case AxisMap::kSliced:
      return sliced_shape(graph, op);
    case AxisMap::kGathered:
      return gathered_shape(graph, op);
  }
  SIM_CHECK(false, "operator kind {}", static_cast<int>(op.kind));
  return {};
}

std::int64_t mac_count(const Graph& graph, const Operator& op) {
  if (!is_contraction(op.kind)) return 0;
  const std::int64_t outputs = element_count(infer_shape(graph, op));
  if (op.kind != OpKind::kConv)
    return macs_of(op, outputs, matrix_operand(graph, op, 0, op.attributes.transpose_a).back());
  const Shape& w = input(graph, op, 1);
  return macs_of(op, outputs, w[1] * w[2] * w[3]);
}

}  // namespace tilewright
