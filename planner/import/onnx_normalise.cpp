// Softmax and normalisations.
#include <fmt/format.h>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

// Before opset 13 these ran over all dimensions from `axis` (default 1) on, which then are one; since then over one
// (default the last). The tensor in the shape that they run over, and the axis.
struct Lines {
  Lines(OnnxBuilder& b, const OnnxNode& node) : s(b, node), x(b.input(node, 0)), shape(s.shape(x)) {
    axis = b.normalised_axis(node, node.integer("axis", node.opset < 13 ? 1 : -1), shape.size());
    if (node.opset >= 13 || axis + 1 == static_cast<std::int64_t>(shape.size())) return;
    Shape flat(shape.begin(), shape.begin() + axis);
    flat.push_back(element_count(Shape(shape.begin() + axis, shape.end())));
    x = s.reshape(x, flat);
  }
  void finish(TensorId result) { s.finish(s.reshape(result, shape)); }

  OnnxSteps s;
  TensorId x;
  Shape shape;
  std::int64_t axis = 0;
};

void softmax(OnnxBuilder& b, const OnnxNode& node) {
  Lines lines(b, node);
  if (lines.s.shape(lines.x) != lines.shape)
    return lines.finish(lines.s.op(OpKind::kSoftmax, {lines.x}, {.axis = lines.axis}));
  b.emit(node, {.kind = OpKind::kSoftmax, .inputs = {lines.x}, .attributes = {.axis = lines.axis}});
}

// x - max - log(sum(exp(x - max))): the logarithm of a softmax would lose what is small.
void log_softmax(OnnxBuilder& b, const OnnxNode& node) {
  Lines lines(b, node);
  OnnxSteps& s = lines.s;
  const TensorId centred = s.sub(lines.x, s.reduce(OpKind::kReduceMax, lines.x, {lines.axis}));
  lines.finish(s.sub(centred, s.log(s.reduce(OpKind::kReduceSum, s.exp(centred), {lines.axis}))));
}

// (x - mean) / sqrt(variance + epsilon) over the axes, with its mean and inverse deviation.
struct Normalised {
  Normalised(OnnxSteps& s, TensorId x, const std::vector<std::int64_t>& axes, double epsilon)
      : mean(s.reduce(OpKind::kReduceMean, x, axes)) {
    const TensorId centred = s.sub(x, mean);
    const TensorId variance = s.reduce(OpKind::kReduceMean, s.mul(centred, centred), axes);
    inverse = s.op(OpKind::kReciprocal, {s.sqrt(s.add(variance, epsilon))});
    result = s.mul(centred, inverse);
  }
  TensorId mean, inverse = -1, result = -1;
};

std::vector<std::int64_t> axes_from(std::int64_t first, std::size_t rank) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = first; axis < static_cast<std::int64_t>(rank); ++axis) axes.push_back(axis);
  return axes;
}

// With one factor and one summand for each channel, dimension 1.
TensorId scaled_by_channel(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId x) {
  Shape channels(s.shape(x).size() - 1, 1);
  channels[0] = s.shape(x)[1];
  return s.add(s.mul(x, s.reshape(b.input(node, 1), channels)), s.reshape(b.input(node, 2), channels));
}

void instance_norm(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  if (s.shape(x).size() < 3) node.fail(fmt::format("input has shape {}, expected [N, C, ...]", to_string(s.shape(x))));
  const Normalised normalised(s, x, axes_from(2, s.shape(x).size()), node.number("epsilon", 1e-5));
  s.finish(scaled_by_channel(b, node, s, normalised.result));
}

void group_norm(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const Shape shape = s.shape(x);
  const std::int64_t groups = node.integer("num_groups", 0);
  if (shape.size() < 3 || groups < 1 || shape[1] % groups != 0)
    node.fail(fmt::format("{} groups of shape {}", groups, to_string(shape)));
  if (node.opset < 21) node.fail("before opset 21 it scales groups, not channels, which is not supported");
  const TensorId rows = s.reshape(x, {shape[0], groups, element_count(shape) / shape[0] / groups});
  const Normalised normalised(s, rows, {2}, node.number("epsilon", 1e-5));
  s.finish(scaled_by_channel(b, node, s, s.reshape(normalised.result, shape)));
}

void mean_variance_norm(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  std::vector<std::int64_t> axes = node.integers("axes").value_or(std::vector<std::int64_t>{0, 2, 3});
  for (std::int64_t& axis : axes) axis = b.normalised_axis(node, axis, s.shape(x).size());
  s.finish(Normalised(s, x, axes, 1e-9).result);
}

void lp_norm(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", -1), s.shape(x).size()),
                     p = node.integer("p", 2);
  if (p != 1 && p != 2) node.fail(fmt::format("p: got {}, expected 1 or 2", p));
  const TensorId powers = s.reduce(OpKind::kReduceSum, p == 1 ? s.magnitude(x) : s.mul(x, x), {axis});
  s.finish(s.div(x, p == 1 ? powers : s.sqrt(powers)));
}

// x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta.
void local_response_norm(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const Shape shape = s.shape(x);
  const std::int64_t size = node.integer("size", 0);
  if (shape.size() < 2 || size < 1 || size > (1 << 16))
    node.fail(fmt::format("{} channels of shape {}", size, to_string(shape)));
  const std::int64_t inner = element_count(Shape(shape.begin() + 2, shape.end())), before = (size - 1) / 2;
  const TensorId squares = s.reshape(s.mul(x, x), {shape[0], 1, shape[1], inner});
  const TensorId means =
      s.op(OpKind::kAveragePool, {squares},
           {.window = {size, 1}, .pads = {before, 0, size - 1 - before, 0}, .count_include_pad = true});
  const TensorId base = s.add(s.mul(s.reshape(means, shape), node.number("alpha", 1e-4)), node.number("bias", 1));
  s.finish(s.div(x, s.op(OpKind::kPow, {base, s.number(node.number("beta", 0.75), base)})));
}

void layer_norm_with_statistics(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const std::size_t rank = s.shape(x).size();
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", -1), rank);
  const Normalised normalised(s, x, axes_from(axis, rank), node.number("epsilon", 1e-5));
  const TensorId scaled = s.mul(normalised.result, b.input(node, 1));
  s.finish(b.has(node, 2) ? s.add(scaled, b.input(node, 2)) : scaled);
  if (b.has_output(node, 1)) s.finish(normalised.mean, 1);
  if (b.has_output(node, 2)) s.finish(normalised.inverse, 2);
}

void layer_norm(OnnxBuilder& b, const OnnxNode& node) {
  if (b.has_output(node, 1) || b.has_output(node, 2)) return layer_norm_with_statistics(b, node);
  Operator op{.kind = OpKind::kLayerNorm, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes.axis = b.normalised_axis(node, node.integer("axis", -1), b.shape(node, 0).size());
  op.attributes.epsilon = node.number("epsilon", 1e-5);
  if (node.has_input(2)) op.inputs.push_back(b.input(node, 2));
  b.emit(node, std::move(op));
}

void rms_norm(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kRmsNorm, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes.axis = b.normalised_axis(node, node.integer("axis", -1), b.shape(node, 0).size());
  op.attributes.epsilon = node.number("epsilon", 1e-5);
  b.emit(node, std::move(op));
}

void batch_norm(OnnxBuilder& b, const OnnxNode& node) {
  bool statistics = false;
  for (int i = 1; i < node.proto.output_size(); ++i) statistics = statistics || b.has_output(node, i);
  if (node.integer("training_mode", 0) != 0 || statistics) node.fail("training mode is not supported");
  Operator op{.kind = OpKind::kBatchNorm};
  for (int i = 0; i < 5; ++i) op.inputs.push_back(b.input(node, i));
  op.attributes.epsilon = node.number("epsilon", 1e-5);
  b.emit(node, std::move(op));
}

constexpr OnnxConversion kNormaliseOperators[] = {{"Softmax", softmax},
                                                  {"LayerNormalization", layer_norm, 1, 2},
                                                  {"BatchNormalization", batch_norm, 1, 4},
                                                  {"RMSNormalization", rms_norm, 1, 1},
                                                  {"LogSoftmax", log_softmax},
                                                  {"InstanceNormalization", instance_norm, 1, 2},
                                                  {"GroupNormalization", group_norm, 1, 2},
                                                  {"MeanVarianceNormalization", mean_variance_norm},
                                                  {"LpNormalization", lp_norm},
                                                  {"LRN", local_response_norm}};

}  // namespace

std::span<const OnnxConversion> onnx_normalise_operators() { return kNormaliseOperators; }

}  // namespace tilewright
