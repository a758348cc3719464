// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. With known scales the quantised values are int8 on the
// machine, whatever the network's type, uint8 ones less 128; what stands between two of them becomes an operator on
// int8 where it has such a form (onnx_int8.h). Else they are formulas in the network's own type.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/onnx_int8.h"

namespace tilewright {
namespace {

bool is_quantised(ValueType type) { return type == ValueType::kInt8 || type == ValueType::kUint8; }

// A vector of one value per channel, as it is broadcast against `x`.
TensorId per_axis(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId vector, TensorId x) {
  if (element_count(s.shape(vector)) == 1) return s.reshape(vector, {});
  Shape shape(s.shape(x).size(), 1);
  shape[b.normalised_axis(node, node.integer("axis", 1), shape.size())] = element_count(s.shape(vector));
  return s.reshape(vector, shape);
}

// Scales and zero points, inputs 1 and 2 of the node, of values of `type`; nothing where they are not known.
std::optional<OnnxLevels> known_levels(OnnxBuilder& b, const OnnxNode& node, ValueType type) {
  const auto scales = b.known(b.input(node, 1));
  const auto zeros = node.has_input(2) ? b.known(b.input(node, 2)) : std::vector<double>(1, 0.0);
  if (!scales || !zeros || std::any_of(scales->begin(), scales->end(), [](double scale) { return !(scale > 0); }))
    return std::nullopt;
  if (zeros->size() != 1 && zeros->size() != scales->size())
    node.fail(fmt::format("{} zero points for {} scales", zeros->size(), scales->size()));
  OnnxLevels levels{.scales = *scales, .zero_points = *zeros};
  for (double& zero : levels.zero_points) zero = int8_zero_point(type, zero);
  if (scales->size() == 1) return levels;
  levels.axis = b.normalised_axis(node, node.integer("axis", 1), b.rank(node, 0));
  if (b.shape(node, 0)[levels.axis] != std::ssize(*scales))
    node.fail(fmt::format("{} scales for a dimension of {}", scales->size(), b.shape(node, 0)[levels.axis]));
  return levels;
}

// One zero point for all channels.
std::optional<double> common_zero_point(const OnnxLevels& levels) {
  const double first = levels.zero_points[0];
  const bool same =
      std::all_of(levels.zero_points.begin(), levels.zero_points.end(), [&](double zero) { return zero == first; });
  return same ? std::optional(first) : std::nullopt;
}

TensorId scales_of(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, const OnnxLevels& levels, TensorId x) {
  const auto count = static_cast<std::int64_t>(levels.scales.size());
  return per_axis(b, node, s, s.constant({count}, levels.scales, scale_element()), x);
}

// Whole numbers in the network's own type.
TensorId quantised_by_steps(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId x, const OnnxElement& to) {
  TensorId level = s.op(OpKind::kRound, {s.div(x, per_axis(b, node, s, b.input(node, 1), x))});
  if (node.has_input(2)) level = s.add(level, s.to_float(per_axis(b, node, s, b.input(node, 2), x)));
  const double low = to.value_type == ValueType::kInt8 ? -128 : 0;
  return s.op(OpKind::kClip, {level}, {.clip_low = low, .clip_high = low + 255}, {.element = to});
}

// `values` of int8 as the node's output of int8 or uint8.
void finish_quantised(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId values, ValueType type) {
  if (type == ValueType::kInt8) return s.finish(values);
  const TensorId above = s.constant({}, {128}, index_element());
  s.finish(s.op(OpKind::kAdd, {values, above}, {}, {.element = index_element(ValueType::kUint8)}));
  b.int8_of[*b.graph.find_tensor(OnnxBuilder::output_name(node, 0))] = values;
}

void quantize(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = s.to_float(b.input(node, 0));
  OnnxElement to{DataType::kFp32, false, ValueType::kUint8};
  if (node.has_input(2)) to.value_type = s.element(b.input(node, 2)).value_type;
  if (!is_quantised(to.value_type)) node.fail(fmt::format("to {} is not supported", name_of(to.value_type)));
  const auto levels = known_levels(b, node, to.value_type);
  const auto zero = levels ? common_zero_point(*levels) : std::nullopt;
  if (!zero) return s.finish(quantised_by_steps(b, node, s, x, to));
  if (levels->scales.size() == 1)
    if (const auto values = integer_form(b, node, x, {levels->scales[0], *zero}))
      return finish_quantised(b, node, s, *values, to.value_type);
  const TensorId values = s.op(OpKind::kQuantize, {x, scales_of(b, node, s, *levels, x)}, {.zero_point = *zero},
                               {.element = int8_element()});
  finish_quantised(b, node, s, values, to.value_type);
}

TensorId dequantised_by_steps(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId x) {
  TensorId level = s.cast(x, float_element());
  if (node.has_input(2)) level = s.sub(level, s.cast(per_axis(b, node, s, b.input(node, 2), x), float_element()));
  return s.mul(level, per_axis(b, node, s, b.input(node, 1), x));
}

// Longest axis, and longest block.
constexpr std::int64_t kMostBlocked = std::int64_t{1} << 20;

// Scales and zero points of blocks along an axis as one of each for every element.
TensorId dequantised_by_blocks(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId x, std::int64_t block) {
  const auto axis = b.normalised_axis(node, node.integer("axis", 1), b.rank(node, 0));
  if (const std::int64_t length = s.shape(x)[axis]; length > kMostBlocked)
    node.fail(fmt::format("blocks along a dimension of {}, expected at most {}", length, kMostBlocked));
  std::vector<std::int64_t> block_of(s.shape(x)[axis]);
  for (std::size_t i = 0; i < block_of.size(); ++i) block_of[i] = static_cast<std::int64_t>(i) / block;
  for (int i = 1; i < 3 && (i == 1 || node.has_input(i)); ++i) {
    Shape expected = s.shape(x);
    expected[axis] = ceil_div(expected[axis], block);
    if (b.shape(node, i) != expected)
      node.fail(fmt::format("input {} has shape {}, expected {} with blocks of {}", i, to_string(b.shape(node, i)),
                            to_string(expected), block));
  }
  TensorId level = s.cast(x, float_element());
  if (node.has_input(2)) level = s.sub(level, s.cast(s.pick(b.input(node, 2), axis, block_of), float_element()));
  return s.mul(level, s.pick(b.input(node, 1), axis, block_of));
}

// Of constant weights with known scales and one zero point for all, for products that take them as they are stored.
void note_stored_weights(OnnxBuilder& b, const OnnxNode& node, TensorId x, std::int64_t block) {
  const auto scales = b.known(b.input(node, 1));
  const auto zeros = node.has_input(2) ? b.known(b.input(node, 2)) : std::vector<double>(1, 0.0);
  const Tensor& tensor = b.graph.tensor(x);
  if (!scales || !zeros || tensor.kind != TensorKind::kConstant || tensor.shape.size() != 2) return;
  if (!tensor.value_type || !is_quantised(*tensor.value_type)) return;
  if (std::count(zeros->begin(), zeros->end(), zeros->front()) != std::ssize(*zeros)) return;
  const auto axis = b.normalised_axis(node, node.integer("axis", 1), tensor.shape.size());
  b.stored_weights[*b.graph.find_tensor(OnnxBuilder::output_name(node, 0))] = {x, *scales, zeros->front(), axis, block};
}

void dequantize_values(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const ValueType type = s.element(x).value_type;
  auto levels = known_levels(b, node, type);
  if (!levels || !(is_quantised(type) || type == ValueType::kInt32))
    return s.finish(dequantised_by_steps(b, node, s, x));
  levels->values = is_quantised(type) ? as_int8(b, node, x) : x;
  const auto zero = common_zero_point(*levels);
  if (zero && is_quantised(type))
    s.finish(s.op(OpKind::kDequantize, {levels->values, scales_of(b, node, s, *levels, x)}, {.zero_point = *zero},
                  {.element = float_element()}));
  else
    s.finish(dequantised_by_steps(b, node, s, x));
  b.levels[*b.graph.find_tensor(OnnxBuilder::output_name(node, 0))] = std::move(*levels);
}

void dequantize(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const std::int64_t block = node.integer("block_size", 0);
  if (block < 0 || block > kMostBlocked) node.fail(fmt::format("block_size {}, expected 0 to {}", block, kMostBlocked));
  if (block > 0)
    s.finish(dequantised_by_blocks(b, node, s, b.input(node, 0), block));
  else
    dequantize_values(b, node);
  note_stored_weights(b, node, b.input(node, 0), block);
}

// To uint8 between the least and the greatest value of the tensor, zero among them.
void dynamic_quantize(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  std::vector<std::int64_t> axes(s.shape(x).size());
  for (std::size_t d = 0; d < axes.size(); ++d) axes[d] = static_cast<std::int64_t>(d);
  const auto greatest = [&](TensorId of) { return s.max(s.reduce(OpKind::kReduceMax, of, axes, false), 0.0); };
  const TensorId high = greatest(x), low = s.neg(greatest(s.neg(x)));
  const TensorId scale = s.div(s.sub(high, low), 255.0);
  const auto level = [&](TensorId value) {
    return s.op(OpKind::kClip, {value}, {.clip_low = 0.0, .clip_high = 255.0});
  };
  const TensorId zero = s.op(OpKind::kRound, {level(s.div(s.neg(low), scale))});
  const TensorId values = level(s.add(s.op(OpKind::kRound, {s.div(x, scale)}), zero));
  s.finish(s.cast(values, index_element(ValueType::kUint8)), 0);
  if (OnnxBuilder::has_output(node, 1)) s.finish(scale, 1);
  if (OnnxBuilder::has_output(node, 2)) s.finish(s.cast(zero, index_element(ValueType::kUint8)), 2);
}

constexpr OnnxConversion kQuantizing[] = {
    {"QuantizeLinear", quantize}, {"DequantizeLinear", dequantize}, {"DynamicQuantizeLinear", dynamic_quantize}};

}  // namespace

std::span<const OnnxConversion> onnx_quantize_operators() { return kQuantizing; }

}  // namespace tilewright
