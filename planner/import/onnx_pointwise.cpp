// Operators on single elements.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "planner/import/onnx_steps.h"

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
  for (int i = most; i < count; ++i) op.inputs = {b.emit_hidden(node, op), b.input(node, i)};
  b.emit(node, std::move(op));
}

void pointwise(OnnxBuilder& b, const OnnxNode& node) { emit_as(b, node, *parse_op_kind(node.proto.op_type())); }

void gelu(OnnxBuilder& b, const OnnxNode& node) {
  const std::string mode = node.text("approximate", "none");
  if (mode != "none" && mode != "tanh")
    node.fail(fmt::format("approximate: got '{}', expected 'none' or 'tanh'", mode));
  emit_as(b, node, mode == "tanh" ? OpKind::kGeluTanh : OpKind::kGelu);
}

// Limits were attributes before opset 11 and are inputs since.
std::optional<double> clip_limit(const OnnxBuilder& b, const OnnxNode& node, const char* key, int index) {
  if (node.opset < 11) {
    const auto* attribute = node.find(key, onnx::AttributeProto::FLOAT);
    return attribute ? std::optional<double>(attribute->f()) : std::nullopt;
  }
  return node.has_input(index) ? std::optional(b.scalar(node, index)) : std::nullopt;
}

// Integers are compared as such; limits that are not known before the run are operands.
void clip(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const auto live = [&](int index) { return node.has_input(index) && !b.known(b.input(node, index)); };
  if (!s.whole(x) && !live(1) && !live(2)) {
    Operator op{.kind = OpKind::kClip, .inputs = {x}};
    op.attributes.clip_low = clip_limit(b, node, "min", 1);
    op.attributes.clip_high = clip_limit(b, node, "max", 2);
    b.emit(node, std::move(op));
    return;
  }
  const TensorId above = node.has_input(1) ? s.max(x, b.input(node, 1)) : x;
  s.finish(node.has_input(2) ? s.min(above, b.input(node, 2)) : above);
}

void dropout(OnnxBuilder& b, const OnnxNode& node) {
  const bool training = node.has_input(2) && b.scalar(node, 2) != 0;
  const double ratio = node.has_input(1) ? b.scalar(node, 1) : node.number("ratio", 0.5);
  if (training && ratio != 0) node.fail("training mode is not supported");
  if (b.has_output(node, 1)) {  // nothing is dropped
    const Shape shape = b.shape(node, 0);
    b.add_known(node, shape, std::vector<double>(element_count(shape), 1), index_element(ValueType::kBool), 1);
  }
  b.emit(node, {.kind = OpKind::kIdentity, .inputs = {b.input(node, 0)}});
}

// An integer to any power is cut to an integer again.
void power(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0), y = b.input(node, 1);
  if (!s.whole(x) && !s.whole(y)) return pointwise(b, node);
  const TensorId result = s.op(OpKind::kPow, {s.to_float(x), s.to_float(y)});
  s.finish(s.whole(x) ? s.cast(result, s.element(x)) : result);
}

TensorId total(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s) {
  TensorId sum = b.input(node, 0);
  for (int i = 1; i < node.proto.input_size(); ++i) sum = s.add(sum, b.input(node, i));
  return sum;
}

void sum(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(total(b, node, s));
}

void mean(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(s.mul(total(b, node, s), 1.0 / node.proto.input_size()));
}

// A formula of the one input.
template <typename Formula>
void formula(OnnxBuilder& b, const OnnxNode& node, Formula of) {
  OnnxSteps s(b, node);
  s.finish(of(s, b.input(node, 0)));
}

void absolute(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.magnitude(x); });
}

void ceiling(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.neg(s.op(OpKind::kFloor, {s.neg(x)})); });
}

void sinh(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.mul(s.sub(s.exp(x), s.exp(s.neg(x))), 0.5); });
}

void cosh(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.mul(s.add(s.exp(x), s.exp(s.neg(x))), 0.5); });
}

void tangent(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.div(s.op(OpKind::kSin, {x}), s.op(OpKind::kCos, {x})); });
}

// atan(x / sqrt(1 - x * x)): at the ends of infinity.
TensorId arcsine(OnnxSteps& s, TensorId x) {
  return s.op(OpKind::kAtan, {s.div(x, s.sqrt(s.sub(s.number(1, x), s.mul(x, x))))});
}

void asin(OnnxBuilder& b, const OnnxNode& node) { formula(b, node, arcsine); }

void acos(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.sub(s.number(std::numbers::pi / 2, x), arcsine(s, x)); });
}

// sign(x) * log(|x| + sqrt(x * x + 1)): no difference of nearly equal numbers.
void asinh(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) {
    const TensorId curve = s.log(s.add(s.magnitude(x), s.sqrt(s.add(s.mul(x, x), 1.0))));
    return s.where(s.less(x, s.number(0, x)), s.neg(curve), curve);
  });
}

void acosh(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node, [](OnnxSteps& s, TensorId x) { return s.log(s.add(x, s.sqrt(s.sub(s.mul(x, x), 1.0)))); });
}

void atanh(OnnxBuilder& b, const OnnxNode& node) {
  formula(b, node,
          [](OnnxSteps& s, TensorId x) { return s.mul(s.log(s.div(s.add(x, 1.0), s.sub(s.number(1, x), x))), 0.5); });
}

// Those that are more than their name and inputs.
constexpr OnnxConversion kOwnRules[] = {{"Gelu", gelu},   {"Dropout", dropout}, {"Clip", clip},    {"Pow", power},
                                        {"Sum", sum},     {"Mean", mean},       {"Abs", absolute}, {"Ceil", ceiling},
                                        {"Sinh", sinh},   {"Cosh", cosh},       {"Tan", tangent},  {"Asinh", asinh},
                                        {"Acosh", acosh}, {"Atanh", atanh},     {"Asin", asin},    {"Acos", acos}};

bool has_own_rule(std::string_view type) {
  return std::any_of(std::begin(kOwnRules), std::end(kOwnRules), [&](auto& row) { return row.type == type; });
}

std::vector<OnnxConversion> all_rules() {
  std::vector<OnnxConversion> rules(std::begin(kOwnRules), std::end(kOwnRules));
  for (const OperatorTraits& traits : all_operator_traits()) {
    if (!is_pointwise(traits.kind) || traits.is(kPlannerKind) || traits.kind == OpKind::kCast ||
        has_own_rule(traits.name))
      continue;
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
