#include "planner/graph/window.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMaxWindowValue = std::int64_t{1} << 20;

std::int64_t value_at(const Operator& op, const std::vector<std::int64_t>& values, std::size_t expected,
                      std::size_t index, std::int64_t fallback, const char* what) {
  if (values.empty()) return fallback;
  if (values.size() != expected)
    throw UserError(fmt::format("operator '{}'", op.name),
                    fmt::format("has {} values for {}, expected {}", values.size(), what, expected));
  if (values[index] < fallback || values[index] > kMaxWindowValue)
    throw UserError(fmt::format("operator '{}'", op.name),
                    fmt::format("got {} for {}, expected {} to 2^20", values[index], what, fallback));
  return values[index];
}

std::vector<std::int64_t> window_sizes(const Graph& graph, const Operator& op) {
  if (op.kind != OpKind::kConv) return op.attributes.window;
  const Shape& weights = graph.tensor(op.inputs.at(1)).shape;
  if (weights.size() != 4)
    throw UserError(fmt::format("operator '{}'", op.name),
                    fmt::format("weights have shape {}, expected [O, C, kh, kw]", to_string(weights)));
  return {weights[2], weights[3]};
}

}  // namespace

Window window_of(const Graph& graph, const Operator& op) {
  const Attributes& a = op.attributes;
  const std::vector<std::int64_t> sizes = window_sizes(graph, op);
  Window window;
  for (std::size_t i = 0; i < 2; ++i)
    window.axes[i] = {.size = value_at(op, sizes, 2, i, 1, "the window"),
                      .stride = value_at(op, a.strides, 2, i, 1, "strides"),
                      .dilation = value_at(op, a.dilations, 2, i, 1, "dilations"),
                      .pad_begin = value_at(op, a.pads, 4, i, 0, "pads"),
                      .pad_end = value_at(op, a.pads, 4, i + 2, 0, "pads")};
  return window;
}

std::int64_t placements(const Window::Axis& axis, std::int64_t length, bool ceil_mode) {
  const std::int64_t room = length + axis.pad_begin + axis.pad_end - axis.extent();
  if (room < 0) return 0;
  std::int64_t count = room / axis.stride + 1;
  // A placement added by rounding up must still start inside the input or the padding before it (ONNX, PyTorch).
  if (ceil_mode && room % axis.stride != 0 && count * axis.stride < length + axis.pad_begin) ++count;
  return count;
}

}  // namespace tilewright
