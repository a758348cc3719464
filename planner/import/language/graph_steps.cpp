#include "planner/import/language/graph_steps.h"

namespace tilewright {

TensorId GraphSteps::add(Tensor tensor) {
  tensor.name = prefix_ + tensor.name;
  tensor.type = tensor.is_index ? DataType::kInt32 : type_;
  return graph.add_tensor(std::move(tensor));
}

TensorId GraphSteps::indices(const std::string& name, const Shape& shape) {
  return add({.name = name, .shape = shape, .kind = TensorKind::kInput, .is_index = true});
}

TensorId GraphSteps::cache(const std::string& name, const Shape& shape) {
  return add({.name = name, .shape = shape, .kind = TensorKind::kInput, .is_cache = true});
}

TensorId GraphSteps::weights(const std::string& name, const Shape& shape) {
  return add({.name = name, .shape = shape, .kind = TensorKind::kConstant});
}

TensorId GraphSteps::known(const std::string& name, const Shape& shape, std::vector<double> values) {
  return add({.name = name, .shape = shape, .kind = TensorKind::kConstant, .data = std::move(values)});
}

TensorId GraphSteps::known_indices(const std::string& name, const std::vector<std::int64_t>& values) {
  Tensor tensor{.name = name, .shape = {std::ssize(values)}, .kind = TensorKind::kConstant, .is_index = true};
  tensor.data.emplace(values.begin(), values.end());
  return add(std::move(tensor));
}

TensorId GraphSteps::op(const std::string& name, OpKind kind, std::vector<TensorId> inputs, Attributes attributes) {
  Operator op{.name = prefix_ + name, .kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)};
  op.output = add({.name = name + ".out", .shape = infer_shape(graph, op)});
  graph.add_operator(op);
  return op.output;
}

TensorId GraphSteps::linear(const std::string& name, TensorId x, std::int64_t outputs, bool bias) {
  std::vector<TensorId> inputs{x, weights(name + ".weight", {shape(x).back(), outputs})};
  if (bias) inputs.push_back(weights(name + ".bias", {outputs}));
  return op(name, OpKind::kMatMul, std::move(inputs));
}

TensorId GraphSteps::stored_linear(const std::string& name, TensorId x, std::int64_t outputs, bool bias) {
  if (format_.bits == 0) return linear(name, x, outputs, bias);
  const TensorId product = packed_product(name, x, outputs);
  return bias ? op(name + ".biased", OpKind::kAdd, {product, weights(name + ".bias", {outputs})}) : product;
}

TensorId GraphSteps::packed_product(const std::string& name, TensorId x, std::int64_t outputs) {
  const std::int64_t depth = shape(x).back(), group = format_.group_size == 0 ? depth : format_.group_size;
  const Shape bytes{ceil_div(depth * format_.bits, std::int64_t{8}), outputs}, scales{ceil_div(depth, group), outputs};
  return op(name, OpKind::kMatMulNBits, {x, weights(name + ".weight", bytes), weights(name + ".scales", scales)},
            {.bits = format_.bits, .group_size = group});
}

TensorId GraphSteps::scaled(const std::string& name, TensorId x, double factor) {
  return op(name, OpKind::kMul, {x, known(name + ".factor", {1}, {factor})});
}

TensorId GraphSteps::reshape(const std::string& name, TensorId x, const Shape& target) {
  if (shape(x) == target) return x;
  Operator op{.name = prefix_ + name, .kind = OpKind::kReshape, .inputs = {x}};
  const bool index = graph.tensor(x).is_index;
  op.output = add({.name = name + ".out", .shape = target, .is_index = index});
  infer_shape(graph, op);
  graph.add_operator(op);
  return op.output;
}

TensorId GraphSteps::transpose(const std::string& name, TensorId x, std::vector<std::int64_t> permutation) {
  return op(name, OpKind::kTranspose, {x}, {.permutation = std::move(permutation)});
}

TensorId GraphSteps::rows(const std::string& name, TensorId x, const std::vector<std::int64_t>& numbers) {
  return op(name, OpKind::kGather, {x, known_indices(name + ".rows", numbers)}, {.axis = 0});
}

}  // namespace tilewright
