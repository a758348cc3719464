#include "planner/import/onnx_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/reference/reference.h"

namespace tilewright {
namespace {

// Shape arithmetic is tiny; anything above is left to the simulated machine.
constexpr std::int64_t kMaxComputedElements = 1 << 16;

TensorValues compute_now(const Graph& graph, const Operator& op, bool is_index) {
  std::vector<const TensorValues*> inputs;
  for (const TensorId id : op.inputs) inputs.push_back(&*graph.tensor(id).data);
  TensorValues values = compute_reference(graph, op, inputs, {});
  if (is_index)
    for (double& value : values) value = std::trunc(value);
  return values;
}

}  // namespace

TensorId OnnxBuilder::input(const OnnxNode& node, int index) const {
  if (!node.has_input(index)) node.fail(fmt::format("input {} is missing", index));
  const auto id = graph.find_tensor(node.proto.input(index));
  if (!id) node.fail(fmt::format("input '{}' is not defined", node.proto.input(index)));
  return *id;
}

const std::vector<double>& OnnxBuilder::values(const OnnxNode& node, int index) const {
  const Tensor& tensor = graph.tensor(input(node, index));
  if (!tensor.data) node.fail(fmt::format("input '{}' must be a constant with known values", tensor.name));
  return *tensor.data;
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

bool OnnxBuilder::can_compute(const Operator& op, const Tensor& output) const {
  if (is_contraction(op.kind) || output_names.contains(output.name)) return false;
  const auto known = [&](TensorId id) {
    return graph.tensor(id).data && element_count(graph.tensor(id).shape) <= kMaxComputedElements;
  };
  return std::all_of(op.inputs.begin(), op.inputs.end(), known) && element_count(output.shape) <= kMaxComputedElements;
}

TensorId OnnxBuilder::add(const OnnxNode& node, Operator op, const std::string& name, const Shape& target) {
  op.name = op.name.empty() ? node.name : op.name;
  const Tensor& first = graph.tensor(op.inputs.at(0));
  Tensor output{.name = name, .type = first.type, .is_index = first.is_index};
  output.shape = is_alias(op.kind) ? target : infer_shape(graph, op);
  const TensorId id = op.output = graph.add_tensor(output);
  infer_shape(graph, op);
  if (can_compute(op, output)) {
    graph.tensor(id).data = compute_now(graph, op, output.is_index);
    graph.tensor(id).kind = TensorKind::kConstant;
  } else {
    graph.add_operator(std::move(op));
  }
  return id;
}

void OnnxBuilder::emit(const OnnxNode& node, Operator op, int index, const Shape& target) {
  if (index >= node.proto.output_size() || node.proto.output(index).empty())
    node.fail(fmt::format("output {} is missing", index));
  add(node, std::move(op), node.proto.output(index), target);
}

void OnnxBuilder::emit_reshape(const OnnxNode& node, const Shape& target) {
  emit(node, {.kind = OpKind::kReshape, .inputs = {input(node, 0)}}, 0, target);
}

TensorId OnnxBuilder::emit_hidden(const OnnxNode& node, Operator op, const std::string& suffix) {
  op.name = node.name + suffix;
  if (node.proto.output_size() < 1) node.fail("output 0 is missing");
  return add(node, std::move(op), node.proto.output(0) + suffix, {});
}

void OnnxBuilder::add_known(const OnnxNode& node, Shape shape, std::vector<double> values, DataType type,
                            bool is_index) {
  if (node.proto.output_size() < 1) node.fail("output 0 is missing");
  graph.add_tensor({.name = node.proto.output(0),
                    .shape = std::move(shape),
                    .type = type,
                    .kind = TensorKind::kConstant,
                    .is_index = is_index,
                    .data = std::move(values)});
}

std::int64_t OnnxBuilder::normalised_axis(const OnnxNode& node, std::int64_t axis, std::size_t rank, bool past_end) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank + (past_end ? 1 : 0))
    node.fail(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  return axis < 0 ? axis + signed_rank : axis;
}

}  // namespace tilewright
