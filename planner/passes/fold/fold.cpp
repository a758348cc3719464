#include "planner/passes/fold/fold.h"

#include <fmt/format.h>

#include <cmath>

#include "planner/emit/indices.h"
#include "planner/graph/graph_edit.h"
#include "planner/ir/element_types.h"
#include "planner/passes/fold/activation_patterns.h"
#include "planner/passes/fold/constant_divisors.h"
#include "planner/passes/fold/norm_patterns.h"
#include "planner/passes/fold/scaled_weights.h"
#include "planner/reference/reference.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// A Cast between integers and other numbers changes the type that the machine computes in.
bool changes_nothing(const Graph& graph, const Operator& op) {
  const Tensor &from = graph.tensor(op.inputs[0]), &to = graph.tensor(op.output);
  return traits_of(op.kind).is(kCopies) && op.attributes.levels.empty() && from.is_index == to.is_index &&
         from.fixed_type == to.fixed_type;
}

// Readers of the output read the input instead; a network's output is written by the operator before, where that is
// possible without taking the input from other readers.
void drop_identity(GraphEdit& edit, std::size_t index) {
  const Operator op = edit.operators()[index];
  if (edit.tensor(op.output).kind != TensorKind::kOutput) {
    edit.remove(index);
    edit.redirect(op.output, op.inputs[0]);
    return;
  }
  const int writer = edit.writer(op.inputs[0]);
  if (writer < 0 || edit.only_reader(op.inputs[0]) != static_cast<int>(index)) return;
  edit.operators()[writer].output = op.output;
  edit.remove(index);
}

TensorValues constant_values(const Graph& graph, const Operator& op, TensorId id) {
  if (graph.tensor(id).kind != TensorKind::kConstant)
    throw UserError(place_of(op), fmt::format("parameter '{}' is not a constant, so that it cannot be computed ahead",
                                              graph.tensor(id).name));
  return initial_values(graph, id, DataType::kFp32, 0);
}

// y = x * scale + shift per channel, with scale = gamma / sqrt(variance + epsilon), shift = beta - mean * scale.
void fold_batch_norm(GraphEdit& edit, const Graph& graph, std::size_t index) {
  const Operator op = edit.operators()[index];
  const Operator& original = graph.op(static_cast<OperatorId>(index));
  TensorValues scale = constant_values(graph, original, original.inputs[1]);
  TensorValues shift = constant_values(graph, original, original.inputs[2]);
  const TensorValues mean = constant_values(graph, original, original.inputs[3]);
  const TensorValues variance = constant_values(graph, original, original.inputs[4]);
  for (std::size_t i = 0; i < scale.size(); ++i) {
    scale[i] /= std::sqrt(variance[i] + op.attributes.epsilon);
    shift[i] -= mean[i] * scale[i];
  }
  const Shape output = edit.tensor(op.output).shape;
  Shape per_channel(output.size() - 1, 1);
  per_channel[0] = output[1];
  const TensorId scales = edit.add_tensor(op.name + ".scale", per_channel, TensorKind::kConstant, scale);
  const TensorId shifts = edit.add_tensor(op.name + ".shift", per_channel, TensorKind::kConstant, shift);
  const TensorId scaled = edit.add_tensor(op.name + ".scaled", output, TensorKind::kHidden);
  edit.operators()[index] = {
      .name = op.name + ".scale", .kind = OpKind::kMul, .inputs = {op.inputs[0], scales}, .output = scaled};
  edit.add_operator({.name = op.name, .kind = OpKind::kAdd, .inputs = {scaled, shifts}, .output = op.output});
}

// Readers of an input that comes in another type read what a Cast makes of it.
void convert_input(GraphEdit& edit, TensorId input) {
  const std::string name = edit.tensor(input).name + ".converted";
  const TensorId converted = edit.add_tensor(name, edit.tensor(input).shape, TensorKind::kHidden);
  edit.redirect(input, converted);
  edit.add_operator({.name = name, .kind = OpKind::kCast, .inputs = {input}, .output = converted});
}

// Indices that operators compute, ahead: the rows that a Gather reads are part of the program.
void plan_indices(Plan& plan) {
  for (const Operator& op : plan.graph.operators())
    if (op.kind == OpKind::kGather && plan.graph.tensor(op.inputs[1]).producer)
      plan.graph.tensor(op.inputs[1]).data = planned_indices(plan.graph, op.inputs[1], plan.options.type);
}

}  // namespace

void fold(Plan& plan) {
  GraphEdit edit(plan.graph);
  const std::size_t count = edit.operators().size();
  for (std::size_t i = 0; i < count; ++i)
    if (changes_nothing(plan.graph, plan.graph.op(static_cast<OperatorId>(i)))) drop_identity(edit, i);
  fold_activations(edit);
  fold_norms(edit);
  for (std::size_t i = 0; i < count; ++i) multiply_by_reciprocal(edit, i, plan.options.type);
  for (std::size_t i = 0; i < count; ++i)
    if (edit.operators()[i].kind == OpKind::kBatchNorm) fold_batch_norm(edit, plan.graph, i);
  for (std::size_t i = 0; i < count && plan.options.fuse; ++i)
    if (edit.operators()[i].kind == OpKind::kConv) scale_weights(edit, i);
  for (TensorId id = 0; id < static_cast<TensorId>(plan.graph.tensors().size()); ++id)
    if (is_converted(plan, plan.graph.tensor(id))) convert_input(edit, id);
  plan.graph = edit.build();
  plan_indices(plan);
}

void verify_fold(const Plan& plan) {
  for (const Operator& op : plan.graph.operators()) {
    SIM_CHECK(op.kind != OpKind::kBatchNorm, "'{}' was not folded", op.name);
    const bool needed = plan.graph.tensor(op.output).kind == TensorKind::kOutput ||
                        (op.kind == OpKind::kCast && is_converted(plan, plan.graph.tensor(op.inputs[0])));
    SIM_CHECK(!changes_nothing(plan.graph, op) || needed, "'{}' was not folded", op.name);
  }
}

}  // namespace tilewright
