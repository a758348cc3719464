// Output shapes and multiply-add counts, one rule per family of operators.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/graph/broadcast.h"
#include "planner/graph/graph.h"
#include "planner/graph/window.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

[[noreturn]] void fail(const Operator& op, const std::string& what) {
  throw UserError(fmt::format("operator '{}' ({})", op.name, name_of(op.kind)), what);
}

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

Shape matmul_shape(const Graph& graph, const Operator& op) {
  const Shape a = matrix_operand(graph, op, 0, op.attributes.transpose_a);
  const Shape b = matrix_operand(graph, op, 1, op.attributes.transpose_b);
  if (a.back() != b[b.size() - 2])
    fail(op, fmt::format("inner dimensions of {} and {} differ", to_string(a), to_string(b)));
  Shape out = broadcast_or_fail(op, Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  if (op.inputs.size() > 2 && broadcast_or_fail(op, out, input(graph, op, 2)) != out)
    fail(op, fmt::format("bias {} is larger than the result {}", to_string(input(graph, op, 2)), to_string(out)));
  return out;
}

Shape windowed_shape(const Graph& graph, const Operator& op, std::int64_t channels) {
  const Shape& x = input(graph, op, 0);
  const Window window = window_of(graph, op);
  Shape out = {x[0], channels, 0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    out[2 + i] = placements(window.axes[i], x[2 + i], op.attributes.ceil_mode);
    if (out[2 + i] < 1)
      fail(op, fmt::format("a window of {} does not fit input {}", window.axes[i].extent(), to_string(x)));
  }
  return out;
}

Shape conv_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  const Shape& w = input(graph, op, 1);
  const std::int64_t groups = op.attributes.groups;
  expect_rank(op, x, 4, "input");
  expect_rank(op, w, 4, "weights");
  if (groups < 1 || x[1] % groups != 0 || w[0] % groups != 0)
    fail(op, fmt::format("{} groups do not divide {} input and {} output channels", groups, x[1], w[0]));
  expect_equal(op, w[1], x[1] / groups, "the weights' channel count");
  if (op.inputs.size() > 2) expect_equal(op, element_count(input(graph, op, 2)), w[0], "the bias length");
  return windowed_shape(graph, op, w[0]);
}

Shape pool_shape(const Graph& graph, const Operator& op) {
  expect_rank(op, input(graph, op, 0), 4, "input");
  if (op.attributes.window.empty()) fail(op, "has no window");
  const Window window = window_of(graph, op);
  for (const Window::Axis& axis : window.axes)
    if (axis.pad_begin >= axis.size || axis.pad_end >= axis.size)
      fail(op, fmt::format("padding {}/{} is not below the window {}", axis.pad_begin, axis.pad_end, axis.size));
  return windowed_shape(graph, op, input(graph, op, 0)[1]);
}

Shape normalised_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  const std::size_t axis = checked_axis(op, op.attributes.axis, x.size());
  if (op.kind == OpKind::kSoftmax) return x;
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

Shape reduced_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  std::vector<bool> reduced(x.size(), false);
  for (const std::int64_t axis : op.attributes.axes) {
    const std::size_t i = checked_axis(op, axis, x.size());
    if (reduced[i]) fail(op, fmt::format("axis {} is listed twice", axis));
    reduced[i] = true;
  }
  Shape out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!reduced[i]) out.push_back(x[i]);
    if (reduced[i] && op.attributes.keepdims) out.push_back(1);
  }
  return out;
}

Shape transposed_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  std::vector<std::int64_t> sorted = op.attributes.permutation;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> identity(x.size());
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity)
    fail(op, fmt::format("{} is no permutation of {} dimensions", to_string(op.attributes.permutation), x.size()));
  Shape out;
  for (const std::int64_t axis : op.attributes.permutation) out.push_back(x[axis]);
  return out;
}

Shape reshaped_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  const Shape& out = graph.tensor(op.output).shape;
  if (element_count(out) != element_count(x))
    fail(op, fmt::format("shapes {} and {} have different element counts", to_string(x), to_string(out)));
  return out;
}

Shape concatenated_shape(const Graph& graph, const Operator& op) {
  Shape out = input(graph, op, 0);
  const std::size_t axis = checked_axis(op, op.attributes.axis, out.size());
  for (std::size_t i = 1; i < op.inputs.size(); ++i) {
    Shape other = input(graph, op, i);
    if (other.size() != out.size())
      fail(op, fmt::format("input {} has shape {}, expected rank {}", i, to_string(other), out.size()));
    const std::int64_t length = other[axis];
    other[axis] = out[axis];
    if (other != out) fail(op, fmt::format("input {} has shape {} beside {}", i, to_string(other), to_string(out)));
    out[axis] += length;
  }
  return out;
}

Shape sliced_shape(const Graph& graph, const Operator& op) {
  const Attributes& a = op.attributes;
  Shape out = input(graph, op, 0);
  if (a.starts.size() != a.axes.size() || a.ends.size() != a.axes.size() ||
      (!a.steps.empty() && a.steps.size() != a.axes.size()))
    fail(op, "axes, starts, ends and steps have different lengths");
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = checked_axis(op, a.axes[i], out.size());
    const std::int64_t step = a.steps.empty() ? 1 : a.steps[i];
    if (step < 1) fail(op, fmt::format("step {} is not supported, expected 1 or more", step));
    if (a.starts[i] < 0 || a.ends[i] > out[axis] || a.starts[i] >= a.ends[i])
      fail(op, fmt::format("range [{}, {}) of a dimension of {}", a.starts[i], a.ends[i], out[axis]));
    out[axis] = (a.ends[i] - a.starts[i] - 1) / step + 1;
  }
  return out;
}

Shape gathered_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  const Shape& indices = input(graph, op, 1);
  const auto axis = static_cast<std::ptrdiff_t>(checked_axis(op, op.attributes.axis, x.size()));
  Shape out(x.begin(), x.begin() + axis);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), x.begin() + axis + 1, x.end());
  return out;
}

std::int64_t checked_product(const Operator& op, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) fail(op, "needs more than 2^63 multiply-adds");
  return product;
}

}  // namespace

Shape infer_shape(const Graph& graph, const Operator& op) {
  switch (op.kind) {
    case OpKind::kMatMul:
      return matmul_shape(graph, op);
    case OpKind::kConv:
      return conv_shape(graph, op);
    case OpKind::kAdd:
    case OpKind::kSub:
    case OpKind::kMul:
    case OpKind::kDiv:
    case OpKind::kPow:
      return broadcast_or_fail(op, input(graph, op, 0), input(graph, op, 1));
    case OpKind::kRelu:
    case OpKind::kGelu:
    case OpKind::kErf:
    case OpKind::kTanh:
    case OpKind::kSigmoid:
    case OpKind::kSqrt:
    case OpKind::kExp:
    case OpKind::kClip:
    case OpKind::kCast:
    case OpKind::kIdentity:
    case OpKind::kNeg:
    case OpKind::kReciprocal:
      return input(graph, op, 0);
    case OpKind::kSoftmax:
    case OpKind::kLayerNorm:
      return normalised_shape(graph, op);
    case OpKind::kBatchNorm:
      return batch_norm_shape(graph, op);
    case OpKind::kMaxPool:
    case OpKind::kAveragePool:
      return pool_shape(graph, op);
    case OpKind::kReduceMean:
      return reduced_shape(graph, op);
    case OpKind::kTranspose:
      return transposed_shape(graph, op);
    case OpKind::kReshape:
      return reshaped_shape(graph, op);
    case OpKind::kConcat:
      return concatenated_shape(graph, op);
    case OpKind::kSlice:
      return sliced_shape(graph, op);
    case OpKind::kGather:
      return gathered_shape(graph, op);
  }
  SIM_CHECK(false, "operator kind {}", static_cast<int>(op.kind));
  return {};
}

std::int64_t mac_count(const Graph& graph, const Operator& op) {
  if (op.kind != OpKind::kMatMul && op.kind != OpKind::kConv) return 0;
  const std::int64_t outputs = element_count(infer_shape(graph, op));
  if (op.kind == OpKind::kMatMul)
    return checked_product(op, outputs, matrix_operand(graph, op, 0, op.attributes.transpose_a).back());
  const Shape& w = input(graph, op, 1);
  return checked_product(op, outputs, w[1] * w[2] * w[3]);
}

}  // namespace tilewright
