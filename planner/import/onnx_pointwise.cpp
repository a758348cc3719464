// Operators on single elements.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "planner/import/onnx_builder.h"
#include "planner/import/onnx_tensor.h"

namespace tilewright {
namespace {

// The kind that has the node's name, on as many inputs as it takes. Max and Min take any number: one operator for each
// input after the second.
void emit_as(OnnxBuilder& b, const OnnxNode& node, OpKind kind) {
  const int count = node.proto.input_size();
  auto most = static_cast<int>(max_inputs(kind));
  const bool any_number = kind == OpKind::kMax || kind == OpKind::kMin;
  if (count > most && !any_number) node.fail(fmt::format("got {} inputs, expected {}", count, most));
  if (count == 1 && any_number) kind = OpKind::kIdentity, most = 1;
  Operator op{.kind = kind};
  for (int i = 0; i < most; ++i) op.inputs.push_back(b.input(node, i));
  for (int i = most; i < count; ++i) op.inputs = {b.emit_hidden(node, op, fmt::format(".{}", i - 1)), b.input(node, i)};
  b.emit(node, std::move(op));
}

void pointwise(OnnxBuilder& b, const OnnxNode& node) { emit_as(b, node, *parse_op_kind(node.proto.op_type())); }

void gelu(OnnxBuilder& b, const OnnxNode& node) {
  const std::string mode = node.text("approximate", "none");
  if (mode != "none") node.fail(fmt::format("approximate: got '{}', expected 'none'", mode));
  pointwise(b, node);
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
  pointwise(b, node);
  Tensor& output = b.graph.tensor(*b.graph.find_tensor(node.proto.output(0)));
  output.type = element.type;
  output.is_index = element.is_index;
}

void dropout(OnnxBuilder& b, const OnnxNode& node) {
  if (node.proto.output_size() > 1 && !node.proto.output(1).empty()) node.fail("the mask output is not supported");
  if (node.has_input(2) && b.values(node, 2) != std::vector<double>{0}) node.fail("training mode is not supported");
  b.emit(node, {.kind = OpKind::kIdentity, .inputs = {b.input(node, 0)}});
}

// Those that are more than their name and inputs.
constexpr OnnxConversion kOwnRules[] = {{"Gelu", gelu}, {"Dropout", dropout}, {"Cast", cast}, {"Clip", clip}};

bool has_own_rule(std::string_view type) {
  return std::any_of(std::begin(kOwnRules), std::end(kOwnRules), [&](auto& row) { return row.type == type; });
}

std::vector<OnnxConversion> all_rules() {
  std::vector<OnnxConversion> rules(std::begin(kOwnRules), std::end(kOwnRules));
  for (const OperatorTraits& traits : all_operator_traits()) {
    if (!is_pointwise(traits.kind) || has_own_rule(traits.name)) continue;
    rules.push_back({traits.name, pointwise});
    // A model's constants are the second operand; the first one, too, where operands can change places.
    if (traits.family == OperatorFamily::kBinary) rules.back().last_weight = 1;
    if (traits.family == OperatorFamily::kBinary && !traits.is(kCommutative)) rules.back().first_weight = 1;
  }
  return rules;
}

}  // namespace

std::span<const OnnxConversion> onnx_pointwise_operators() {
  static const std::vector<OnnxConversion> kRules = all_rules();
  return kRules;
}

}  // namespace tilewright
