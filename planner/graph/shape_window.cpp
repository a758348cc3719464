// Output shapes of convolutions and pools.
#include <fmt/format.h>

#include "planner/graph/shape_rules.h"
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

}  // namespace tilewright::shape_rules
