#include "planner/passes/merge/parted_concats.h"

#include <algorithm>

#include "planner/graph/operator_traits.h"
#include "planner/ir/element_types.h"
#include "planner/ir/in_place.h"

namespace tilewright {
namespace {

// Whether windows slide along that dimension of what the operator reads: padding then begins and ends in other parts.
bool slides_along(OpKind kind, std::int64_t dimension) { return has_windows(kind) && dimension > 1; }

// Whether it loads boxes of the result, as `join` makes it, tile by tile: no weights, whose layout is made for who
// reads them, and nothing that moves elements, which goes through the memory of what it reads.
bool loads_boxes(const Graph& graph, OperatorId reader, const Operator& join) {
  const Operator& op = graph.op(reader);
  const OperatorFamily family = traits_of(op.kind).family;
  if (family == OperatorFamily::kMovement || family == OperatorFamily::kAlias) return false;
  if (is_contraction(op.kind) && op.inputs[0] != join.output) return false;
  return !slides_along(op.kind, join.attributes.axis) && std::ranges::count(op.inputs, join.output) == 1 &&
         std::ranges::none_of(op.epilogues, [&](const Epilogue& epilogue) { return epilogue.operand == join.output; });
}

bool is_whole_concat(const Operator& op) {
  return op.kind == OpKind::kConcat && !op.attributes.part && !op.attributes.in_parts;
}

bool is_read_in_parts(const Plan& plan, const Operator& op) {
  const Graph& graph = plan.graph;
  const Tensor& whole = graph.tensor(op.output);
  if (!is_whole_concat(op) || joins_in_place(plan, op)) return false;
  if (whole.kind != TensorKind::kHidden || whole.is_index || whole.consumers.empty()) return false;
  const auto may_be_part = [&](TensorId input) {
    return !graph.tensor(input).is_cache && std::ranges::count(op.inputs, input) == 1 &&
           plan.tensors[input].type == plan.tensors[op.output].type;
  };
  return std::ranges::all_of(op.inputs, may_be_part) &&
         std::ranges::all_of(whole.consumers, [&](OperatorId id) { return loads_boxes(graph, id, op); });
}

}  // namespace

void part_concats(Plan& plan) {
  if (std::ranges::none_of(plan.graph.operators(), is_whole_concat)) return;
  plan.order = plan.graph.topological_order();
  assign_types(plan);
  for (const OperatorId id : plan.order)
    if (is_read_in_parts(plan, plan.graph.op(id))) plan.graph.op(id).attributes.in_parts = true;
}

}  // namespace tilewright
