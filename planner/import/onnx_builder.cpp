#include "planner/import/onnx_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/reference/evaluate.h"
#include "planner/reference/reference.h"

namespace tilewright {
namespace {

// What is computed while importing; anything above is left to the simulated machine.
constexpr std::int64_t kMaxComputedElements = std::int64_t{1} << 22;

TensorValues compute_now(const Graph& graph, const Operator& op, const Tensor& output) {
  std::vector<const TensorValues*> inputs;
  for (const TensorId id : op.inputs) inputs.push_back(&*graph.tensor(id).data);
  TensorValues values = compute_reference(graph, op, inputs, {});
  if (output.is_index)
    for (double& value : values) value = std::trunc(value);
  return values;
}

// Results are some of the input's values, so that they are quantised as those are.
bool keeps_values(OpKind kind) { return moves_only(kind) || kind == OpKind::kIdentity || kind == OpKind::kMaxPool; }

}  // namespace

OnnxElement float_element() { return {DataType::kFp32, false, ValueType::kFloat32}; }
OnnxElement int8_element() { return {DataType::kInt8, false, ValueType::kInt8, DataType::kInt8}; }
OnnxElement scale_element() { return {DataType::kFp32, false, ValueType::kFloat32, DataType::kFp32}; }
OnnxElement index_element(ValueType type) { return {DataType::kInt32, true, type}; }
OnnxElement element_of(const Tensor& tensor) {
  return {tensor.type, tensor.is_index, tensor.value_type.value_or(ValueType::kFloat32), tensor.fixed_type};
}

bool OnnxBuilder::has(const OnnxNode& node, int index) const {
  return node.has_input(index) && !empty.contains(node.proto.input(index));
}

TensorId OnnxBuilder::input(const OnnxNode& node, int index) const {
  if (!node.has_input(index)) node.fail(fmt::format("input {} is missing", index));
  const auto id = graph.find_tensor(node.proto.input(index));
  if (empty.contains(node.proto.input(index)))
    node.fail(fmt::format("input '{}' has no elements", node.proto.input(index)));
  if (!id) node.fail(fmt::format("input '{}' is not defined", node.proto.input(index)));
  return *id;
}

std::optional<std::vector<double>> OnnxBuilder::known(TensorId id) const {
  const auto data = [&](TensorId source) { return graph.tensor(source).data; };
  return evaluate(graph, id, data, [](const Operator& op) { return !is_contraction(op.kind); });
}

std::vector<double> OnnxBuilder::values(const OnnxNode& node, int index) const {
  if (node.has_input(index) && empty.contains(node.proto.input(index))) return {};
  const TensorId id = input(node, index);
  auto result = known(id);
  if (!result) node.fail(fmt::format("input '{}' must be a constant with known values", graph.tensor(id).name));
  return std::move(*result);
}

std::vector<std::int64_t> OnnxBuilder::integers(const OnnxNode& node, int index) const {
  constexpr double kLimit = 9.2e18;  // ONNX writes "to the end" as the largest integer
  std::vector<std::int64_t> result;
  for (const double value : values(node, index)) {
    if (std::isnan(value)) node.fail(fmt::format("input {} holds no integers", index));
    result.push_back(static_cast<std::int64_t>(std::clamp(value, -kLimit, kLimit)));
  }
  return result;
}

double OnnxBuilder::scalar(const OnnxNode& node, int index) const {
  const std::vector<double> all = values(node, index);
  if (all.size() != 1) node.fail(fmt::format("input {} has {} values, expected 1", index, all.size()));
  return all[0];
}

bool OnnxBuilder::can_compute(const Operator& op, const Tensor& output) const {
  if (output_names.contains(output.name)) return false;
  const auto is_known = [&](TensorId id) {
    const Tensor& tensor = graph.tensor(id);
    return tensor.kind == TensorKind::kConstant && tensor.data && element_count(tensor.shape) <= kMaxComputedElements;
  };
  return std::all_of(op.inputs.begin(), op.inputs.end(), is_known) &&
         element_count(output.shape) <= kMaxComputedElements &&
         (!is_contraction(op.kind) || mac_count(graph, op) <= kMaxComputedElements);
}

std::string OnnxBuilder::free_name(const std::string& wanted) const {
  for (int i = 1;; ++i)
    if (std::string name = fmt::format("{}/{}", wanted, i); !graph.find_tensor(name)) return name;
}

TensorId OnnxBuilder::add(const OnnxNode& node, Operator op, const std::string& name, const OnnxResult& result) {
  op.name = op.name.empty() ? node.name : op.name;
  const Tensor& first = graph.tensor(op.inputs.at(0));
  OnnxElement element = result.element.value_or(element_of(first));
  if (!result.element && !keeps_values(op.kind)) element.fixed_type.reset();
  if (traits_of(op.kind).is(kTruth)) element = index_element(ValueType::kBool);
  Tensor output{.name = name, .type = element.type, .is_index = element.is_index};
  output.value_type = element.value_type;
  output.fixed_type = element.fixed_type;
  output.shape = is_alias(op.kind) ? result.target : infer_shape(graph, op);
  const TensorId id = op.output = graph.add_tensor(output);
  infer_shape(graph, op);
  if (can_compute(op, output)) {
    graph.tensor(id).data = compute_now(graph, op, output);
    graph.tensor(id).kind = TensorKind::kConstant;
  } else {
    graph.add_operator(std::move(op));
  }
  return id;
}

bool OnnxBuilder::has_output(const OnnxNode& node, int index) {
  return index < node.proto.output_size() && !node.proto.output(index).empty();
}

const std::string& OnnxBuilder::output_name(const OnnxNode& node, int index) {
  if (!has_output(node, index)) node.fail(fmt::format("output {} is missing", index));
  return node.proto.output(index);
}

TensorId OnnxBuilder::emit(const OnnxNode& node, Operator op, int index, const OnnxResult& result) {
  return add(node, std::move(op), output_name(node, index), result);
}

void OnnxBuilder::emit_reshape(const OnnxNode& node, const Shape& target) {
  emit(node, {.kind = OpKind::kReshape, .inputs = {input(node, 0)}}, 0, {.target = target});
}

TensorId OnnxBuilder::emit_hidden(const OnnxNode& node, Operator op, const OnnxResult& result) {
  const std::string name = free_name(node.name);
  op.name = name;
  return add(node, std::move(op), name, result);
}

TensorId OnnxBuilder::add_constant(const OnnxNode& node, Shape shape, std::optional<std::vector<double>> values,
                                   const OnnxElement& element) {
  return graph.add_tensor({.name = free_name(node.name),
                           .shape = std::move(shape),
                           .type = element.type,
                           .kind = TensorKind::kConstant,
                           .is_index = element.is_index,
                           .fixed_type = element.fixed_type,
                           .data = std::move(values),
                           .value_type = element.value_type});
}

void OnnxBuilder::add_known(const OnnxNode& node, Shape shape, std::vector<double> values, const OnnxElement& element,
                            int index) {
  const std::string& name = output_name(node, index);
  if (std::count(shape.begin(), shape.end(), 0) > 0) {
    Tensor none{.name = name, .shape = std::move(shape), .type = element.type, .is_index = element.is_index};
    none.value_type = element.value_type;
    if (output_names.contains(name)) node.fail("the output has no elements");
    empty[name] = std::move(none);
    return;
  }
  const TensorId id = add_constant(node, std::move(shape), std::move(values), element);
  emit(node, {.kind = OpKind::kIdentity, .inputs = {id}}, index);
}

std::int64_t OnnxBuilder::normalised_axis(const OnnxNode& node, std::int64_t axis, std::size_t rank, bool past_end) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank + (past_end ? 1 : 0))
    node.fail(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  return axis < 0 ? axis + signed_rank : axis;
}

}  // namespace tilewright
