// Output shapes of convolutions and pools, and of the operators that drop, reorder, join or pick elements.
#include "planner/graph/shape_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/graph/window.h"

namespace tilewright::shape_rules {
namespace {

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

}  // namespace

Shape conv_shape(const Graph& graph, const Operator& op) {
  const Shape& x = input(graph, op, 0);
  const Shape& w = input(graph, op, 1);
  const std::int64_t groups = op.attributes.groups;
  expect_rank(op, x, 4, "input");
  expect_rank(op, w, 4, "weights");
  if (groups < 1 || x[1] % groups != 0 || w[0] % groups != 0)
    fail(op, fmt::format("{} groups do not divide {} input and {} output channels", groups, x[1], w[0]));
  expect_equal(op, w[1], x[1] / groups, "the weights' channel count");
  if (op.attributes.channel_factors)
    expect_equal(op, element_count(input(graph, op, 2)), w[1], "the number of factors");
  else if (op.inputs.size() > 2)
    expect_equal(op, element_count(input(graph, op, 2)), w[0], "the bias length");
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

}  // namespace tilewright::shape_rules
