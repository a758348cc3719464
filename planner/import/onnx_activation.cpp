// Activations that are formulas of others.
#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

void hard_sigmoid_of(OnnxBuilder& b, const OnnxNode& node, double alpha, double beta, bool times_x) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const TensorId line = s.add(s.mul(x, alpha), beta);
  const TensorId gate = s.op(OpKind::kClip, {line}, {.clip_low = 0, .clip_high = 1});
  s.finish(times_x ? s.mul(x, gate) : gate);
}

void hard_sigmoid(OnnxBuilder& b, const OnnxNode& node) {
  hard_sigmoid_of(b, node, node.number("alpha", 0.2), node.number("beta", 0.5), false);
}

void hard_swish(OnnxBuilder& b, const OnnxNode& node) { hard_sigmoid_of(b, node, 1.0 / 6, 0.5, true); }

void leaky_relu(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const double alpha = node.number("alpha", 0.01);
  if (alpha >= 0 && alpha <= 1) return s.finish(s.max(x, s.mul(x, alpha)));
  s.finish(s.add(s.max(x, 0.0), s.mul(s.min(x, 0.0), alpha)));
}

void prelu(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  TensorId slope = b.input(node, 1);
  if (node.opset < 7 && element_count(s.shape(slope)) > 1) {  // one for each channel
    Shape channels(s.shape(x).size() - 1, 1);
    channels[0] = element_count(s.shape(slope));
    slope = s.reshape(slope, channels);
  }
  s.finish(s.add(s.max(x, 0.0), s.mul(s.min(x, 0.0), slope)));
}

// gamma * (max(x, 0) + alpha * (exp(min(x, 0) / scale) - 1))
void exponential(OnnxBuilder& b, const OnnxNode& node, double alpha, double gamma, double scale) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0), low = s.min(x, 0.0);
  TensorId curve = s.sub(s.exp(scale == 1 ? low : s.div(low, scale)), 1.0);
  if (alpha != 1) curve = s.mul(curve, alpha);
  const TensorId both = s.add(s.max(x, 0.0), curve);
  s.finish(gamma == 1 ? both : s.mul(both, gamma));
}

void elu(OnnxBuilder& b, const OnnxNode& node) { exponential(b, node, node.number("alpha", 1), 1, 1); }

void celu(OnnxBuilder& b, const OnnxNode& node) {
  const double alpha = node.number("alpha", 1);
  exponential(b, node, alpha, 1, alpha);
}

void selu(OnnxBuilder& b, const OnnxNode& node) {
  exponential(b, node, node.number("alpha", 1.67326319217681884765625), node.number("gamma", 1.05070102214813232421875),
              1);
}

// log(1 + exp(x)) without overflow.
TensorId softplus_of(OnnxSteps& s, TensorId x) {
  return s.add(s.max(x, 0.0), s.log(s.add(s.exp(s.neg(s.magnitude(x))), 1.0)));
}

void softplus(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(softplus_of(s, b.input(node, 0)));
}

void mish(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  s.finish(s.mul(x, s.op(OpKind::kTanh, {softplus_of(s, x)})));
}

void softsign(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  s.finish(s.div(x, s.add(s.magnitude(x), 1.0)));
}

void thresholded_relu(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  s.finish(s.mask(x, s.less(s.number(node.number("alpha", 1), x), x)));
}

// x + bias below -lambda, x - bias above lambda, 0 between.
void shrink(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const double bias = node.number("bias", 0), lambda = node.number("lambd", 0.5);
  const TensorId low = s.mask(s.add(x, bias), s.less(x, s.number(-lambda, x)));
  s.finish(s.add(low, s.mask(s.sub(x, bias), s.less(s.number(lambda, x), x))));
}

constexpr OnnxConversion kActivations[] = {{"HardSigmoid", hard_sigmoid},
                                           {"HardSwish", hard_swish},
                                           {"LeakyRelu", leaky_relu},
                                           {"PRelu", prelu, 1, 1},
                                           {"Elu", elu},
                                           {"Celu", celu},
                                           {"Selu", selu},
                                           {"Softplus", softplus},
                                           {"Mish", mish},
                                           {"Softsign", softsign},
                                           {"ThresholdedRelu", thresholded_relu},
                                           {"Shrink", shrink}};

}  // namespace

std::span<const OnnxConversion> onnx_activation_operators() { return kActivations; }

}  // namespace tilewright
