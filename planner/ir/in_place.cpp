#include "planner/ir/in_place.h"

#include <algorithm>

namespace tilewright {
namespace {

bool is_one_run(const Graph& graph, const Operator& concat) {
  const Shape& out = graph.tensor(concat.output).shape;
  return std::all_of(out.begin(), out.begin() + concat.attributes.axis, [](std::int64_t size) { return size == 1; });
}

// A renaming would see other ranges of the memory, a second concatenation would need it elsewhere.
bool can_lie_within(const Plan& plan, TensorId part, TensorId whole) {
  const Tensor& tensor = plan.graph.tensor(part);
  const auto moved = [&](OperatorId id) {
    const OpKind kind = plan.graph.op(id).kind;
    return is_alias(kind) || kind == OpKind::kConcat;
  };
  return tensor.kind == TensorKind::kHidden && tensor.producer && !moved(*tensor.producer) &&
         plan.tensors[part].type == plan.tensors[whole].type &&
         std::count_if(tensor.consumers.begin(), tensor.consumers.end(), moved) == 1;
}

}  // namespace

bool joins_in_place(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kConcat || plan.options.group == Grouping::kNone || !is_one_run(plan.graph, op)) return false;
  for (const TensorId input : op.inputs)
    if (!can_lie_within(plan, input, op.output) || std::count(op.inputs.begin(), op.inputs.end(), input) > 1)
      return false;
  return true;
}

std::int64_t first_of_input(const Graph& graph, const Operator& concat, std::size_t index) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < index; ++i) first += graph.tensor(concat.inputs[i]).shape[concat.attributes.axis];
  return first;
}

std::vector<OperatorId> writers_of(const Plan& plan, TensorId tensor) {
  const Graph& graph = plan.graph;
  auto producer = graph.tensor(tensor).producer;
  while (producer && is_alias(graph.op(*producer).kind))
    producer = graph.tensor(graph.op(*producer).inputs[0]).producer;
  if (!producer) return {};
  if (!joins_in_place(plan, graph.op(*producer))) return {*producer};
  std::vector<OperatorId> writers;
  for (const TensorId input : graph.op(*producer).inputs) writers.push_back(*graph.tensor(input).producer);
  return writers;
}

}  // namespace tilewright
