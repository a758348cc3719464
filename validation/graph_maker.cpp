#include "validation/graph_maker.h"

#include <cmath>

namespace tilewright {

TensorId GraphMaker::tensor(const std::string& name, Shape shape, TensorKind kind) {
  return graph_.add_tensor({.name = name, .shape = std::move(shape), .kind = kind});
}

TensorId GraphMaker::input(const std::string& name, Shape shape) {
  return tensor(name, std::move(shape), TensorKind::kInput);
}

TensorId GraphMaker::constant(const std::string& name, Shape shape) {
  return tensor(name, std::move(shape), TensorKind::kConstant);
}

TensorId GraphMaker::scalar(const std::string& name, double value) {
  return graph_.add_tensor(
      {.name = name, .shape = {1}, .kind = TensorKind::kConstant, .data = std::vector<double>{value}});
}

TensorId GraphMaker::add(const std::string& name, OpKind kind, std::vector<TensorId> inputs, Attributes attributes) {
  Operator op{.name = name, .kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)};
  const TensorId output = tensor(name + ".out", infer_shape(graph_, op), TensorKind::kHidden);
  op.output = output;
  graph_.add_operator(std::move(op));
  return output;
}

TensorId GraphMaker::reshape(const std::string& name, TensorId from, Shape shape) {
  const TensorId output = tensor(name + ".out", std::move(shape), TensorKind::kHidden);
  graph_.add_operator({.name = name, .kind = OpKind::kReshape, .inputs = {from}, .output = output});
  return output;
}

TensorId GraphMaker::linear(const std::string& name, TensorId x, std::int64_t out) {
  const TensorId weights = constant(name + ".weights", {shape(x).back(), out});
  const TensorId product = add(name, OpKind::kMatMul, {x, weights});
  return add(name + ".add", OpKind::kAdd, {product, constant(name + ".bias", {out})});
}

TensorId GraphMaker::conv(const std::string& name, TensorId x, std::int64_t out, std::int64_t kernel,
                          std::int64_t stride, std::int64_t pad) {
  Attributes attributes;
  attributes.strides = {stride, stride};
  attributes.pads = {pad, pad, pad, pad};
  const TensorId weights = constant(name + ".weights", {out, shape(x).at(1), kernel, kernel});
  return add(name, OpKind::kConv, {x, weights}, std::move(attributes));
}

TensorId GraphMaker::layer_norm(const std::string& name, TensorId x) {
  const std::int64_t width = shape(x).back();
  Attributes attributes;
  attributes.axis = static_cast<std::int64_t>(shape(x).size()) - 1;
  return add(name, OpKind::kLayerNorm, {x, constant(name + ".scale", {width}), constant(name + ".bias", {width})},
             std::move(attributes));
}

TensorId GraphMaker::softmax(const std::string& name, TensorId x) {
  Attributes attributes;
  attributes.axis = static_cast<std::int64_t>(shape(x).size()) - 1;
  return add(name, OpKind::kSoftmax, {x}, std::move(attributes));
}

TensorId GraphMaker::reduce_rows(const std::string& name, OpKind kind, TensorId x) {
  Attributes attributes;
  attributes.axes = {std::ssize(shape(x)) - 1}, attributes.keepdims = true;
  return add(name, kind, {x}, std::move(attributes));
}

TensorId GraphMaker::attention(const std::string& name, TensorId q, TensorId k, TensorId v) {
  Attributes transposed;
  transposed.transpose_b = true;
  const double width = static_cast<double>(shape(q).back());
  const TensorId scale = scalar(name + ".scale", 1 / std::sqrt(width));
  const TensorId scaled = add(name + ".scaled", OpKind::kMul, {q, scale});
  const TensorId scores = add(name + ".qk", OpKind::kMatMul, {scaled, k}, std::move(transposed));
  return add(name + ".pv", OpKind::kMatMul, {softmax(name + ".softmax", scores), v});
}

Graph GraphMaker::finish(const std::vector<TensorId>& outputs) {
  for (const TensorId output : outputs) graph_.tensor(output).kind = TensorKind::kOutput;
  return std::move(graph_);
}

}  // namespace tilewright
