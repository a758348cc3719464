// Convolutions and pools.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/onnx_builder.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMaxWindowValue = std::int64_t{1} << 20;

std::vector<std::int64_t> window_values(const OnnxNode& node, const char* key, std::size_t count,
                                        std::int64_t fallback) {
  const auto values = node.integers(key).value_or(std::vector<std::int64_t>(count, fallback));
  if (values.size() != count)
    node.fail(fmt::format("{} has {} values, expected {} (two spatial dimensions)", key, values.size(), count));
  for (const std::int64_t value : values)
    if (value < fallback || value > kMaxWindowValue) node.fail(fmt::format("{} holds {}", key, value));
  return values;
}

// Padding that makes the output ceil(input / stride) long; an odd element goes to the end (SAME_UPPER) or the begin.
void pad_to_same(const Shape& x, const std::vector<std::int64_t>& window, bool upper, Attributes& a) {
  a.pads.assign(4, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t extent = (window[i] - 1) * a.dilations[i] + 1;
    const std::int64_t outputs = (x[2 + i] + a.strides[i] - 1) / a.strides[i];
    const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * a.strides[i] + extent - x[2 + i]);
    a.pads[i] = upper ? total / 2 : total - total / 2;
    a.pads[2 + i] = total - a.pads[i];
  }
}

Attributes window_attributes(const OnnxNode& node, const Shape& x, const std::vector<std::int64_t>& window) {
  if (x.size() != 4) node.fail(fmt::format("input has shape {}, expected [N, C, H, W]", to_string(x)));
  Attributes a;
  a.strides = window_values(node, "strides", 2, 1);
  a.dilations = window_values(node, "dilations", 2, 1);
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET") {
    a.pads = window_values(node, "pads", 4, 0);
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    pad_to_same(x, window, mode == "SAME_UPPER", a);
  } else if (mode != "VALID") {
    node.fail(fmt::format("auto_pad: got '{}', expected NOTSET|SAME_UPPER|SAME_LOWER|VALID", mode));
  }
  return a;
}

void conv(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& weights = b.shape(node, 1);
  if (weights.size() != 4) node.fail(fmt::format("weights have shape {}, expected [O, C, kh, kw]", to_string(weights)));
  const std::vector<std::int64_t> window(weights.begin() + 2, weights.end());
  const auto declared = node.integers("kernel_shape");
  if (declared && *declared != window)
    node.fail(fmt::format("kernel_shape {} differs from the weights' {}", to_string(*declared), to_string(window)));
  Operator op{.kind = OpKind::kConv, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes = window_attributes(node, b.shape(node, 0), window);
  op.attributes.groups = node.integer("group", 1);
  if (node.has_input(2)) op.inputs.push_back(b.input(node, 2));
  b.emit(node, std::move(op));
}

void pool(OnnxBuilder& b, const OnnxNode& node, OpKind kind) {
  if (node.proto.output_size() > 1 && !node.proto.output(1).empty()) node.fail("the Indices output is not supported");
  const auto window = window_values(node, "kernel_shape", 2, 1);
  Operator op{.kind = kind, .inputs = {b.input(node, 0)}};
  op.attributes = window_attributes(node, b.shape(node, 0), window);
  op.attributes.window = window;
  op.attributes.ceil_mode = node.integer("ceil_mode", 0) != 0;
  op.attributes.count_include_pad = node.integer("count_include_pad", 0) != 0;
  b.emit(node, std::move(op));
}

void max_pool(OnnxBuilder& b, const OnnxNode& node) { pool(b, node, OpKind::kMaxPool); }
void average_pool(OnnxBuilder& b, const OnnxNode& node) { pool(b, node, OpKind::kAveragePool); }

void global_average_pool(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kReduceMean, .inputs = {b.input(node, 0)}};
  for (std::size_t i = 2; i < b.shape(node, 0).size(); ++i) op.attributes.axes.push_back(static_cast<std::int64_t>(i));
  if (op.attributes.axes.empty()) node.fail("the input has no spatial dimensions");
  b.emit(node, std::move(op));
}

constexpr OnnxConversion kWindowOperators[] = {{"Conv", conv, 1, 2},
                                               {"MaxPool", max_pool},
                                               {"AveragePool", average_pool},
                                               {"GlobalAveragePool", global_average_pool}};

}  // namespace

std::span<const OnnxConversion> onnx_window_operators() { return kWindowOperators; }

}  // namespace tilewright
