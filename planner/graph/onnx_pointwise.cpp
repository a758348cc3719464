// Operators on single elements.
#include <fmt/format.h>

#include "planner/graph/onnx_operators.h"
#include "planner/graph/onnx_tensor.h"

namespace tilewright {
namespace {

template <OpKind kKind>
void unary(OnnxBuilder& b, const OnnxNode& node) {
  b.emit(node, {.kind = kKind, .inputs = {b.input(node, 0)}});
}

template <OpKind kKind>
void binary(OnnxBuilder& b, const OnnxNode& node) {
  b.emit(node, {.kind = kKind, .inputs = {b.input(node, 0), b.input(node, 1)}});
}

void gelu(OnnxBuilder& b, const OnnxNode& node) {
  const std::string mode = node.text("approximate", "none");
  if (mode != "none") node.fail(fmt::format("approximate: got '{}', expected 'none'", mode));
  unary<OpKind::kGelu>(b, node);
}

// Limits were attributes before opset 11 and are inputs since.
std::optional<double> clip_limit(const OnnxBuilder& b, const OnnxNode& node, const char* key, int index) {
  if (node.opset < 11) {
    const auto* attribute = node.find(key, onnx::AttributeProto::FLOAT);
    return attribute ? std::optional<double>(attribute->f()) : std::nullopt;
  }
  if (!node.has_input(index)) return std::nullopt;
  const std::vector<double>& values = b.values(node, index);
  if (values.size() != 1) node.fail(fmt::format("{} has {} values, expected 1", key, values.size()));
  return values[0];
}

void clip(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kClip, .inputs = {b.input(node, 0)}};
  op.attributes.clip_low = clip_limit(b, node, "min", 1);
  op.attributes.clip_high = clip_limit(b, node, "max", 2);
  b.emit(node, std::move(op));
}

void cast(OnnxBuilder& b, const OnnxNode& node) {
  const OnnxElement element =
      onnx_element(fmt::format("node '{}'", node.name), static_cast<int>(node.integer("to", 0)));
  unary<OpKind::kCast>(b, node);
  Tensor& output = b.graph.tensor(*b.graph.find_tensor(node.proto.output(0)));
  output.type = element.type;
  output.is_index = element.is_index;
}

void dropout(OnnxBuilder& b, const OnnxNode& node) {
  if (node.proto.output_size() > 1 && !node.proto.output(1).empty()) node.fail("the mask output is not supported");
  if (node.has_input(2) && b.values(node, 2) != std::vector<double>{0}) node.fail("training mode is not supported");
  unary<OpKind::kIdentity>(b, node);
}

constexpr OnnxConversion kTable[] = {
    {"Relu", unary<OpKind::kRelu>},
    {"Gelu", gelu},
    {"Erf", unary<OpKind::kErf>},
    {"Tanh", unary<OpKind::kTanh>},
    {"Sigmoid", unary<OpKind::kSigmoid>},
    {"Sqrt", unary<OpKind::kSqrt>},
    {"Exp", unary<OpKind::kExp>},
    {"Neg", unary<OpKind::kNeg>},
    {"Reciprocal", unary<OpKind::kReciprocal>},
    {"Identity", unary<OpKind::kIdentity>},
    {"Dropout", dropout},
    {"Cast", cast},
    {"Clip", clip},
    {"Add", binary<OpKind::kAdd>, 0, 1},
    {"Sub", binary<OpKind::kSub>, 1, 1},
    {"Mul", binary<OpKind::kMul>, 0, 1},
    {"Div", binary<OpKind::kDiv>, 1, 1},
    {"Pow", binary<OpKind::kPow>, 1, 1},
};

}  // namespace

std::span<const OnnxConversion> onnx_pointwise_operators() { return kTable; }

}  // namespace tilewright
