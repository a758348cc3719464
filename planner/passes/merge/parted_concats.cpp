#include "planner/passes/merge/parted_concats.h"

#include <algorithm>

#include "planner/graph/graph_edit.h"
#include "planner/graph/operator_traits.h"
#include "planner/ir/in_place.h"

namespace tilewright {
namespace {

bool is_moved_by(const Graph& graph, OperatorId reader) {
  const OpKind kind = graph.op(reader).kind;
  return is_alias(kind) || kind == OpKind::kConcat;
}

// Whether it lies there before the run, is seen in another shape, or is written into another concatenation.
bool lies_elsewhere(const Graph& graph, TensorId input) {
  const Tensor& tensor = graph.tensor(input);
  if (tensor.kind != TensorKind::kHidden || !tensor.producer || is_moved_by(graph, *tensor.producer)) return true;
  return std::ranges::count_if(tensor.consumers, [&](OperatorId id) { return is_moved_by(graph, id); }) > 1;
}

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

bool is_read_in_parts(const Graph& graph, const Operator& op) {
  if (op.kind != OpKind::kConcat || op.attributes.part || op.attributes.in_parts) return false;
  const Tensor& whole = graph.tensor(op.output);
  if (whole.kind != TensorKind::kHidden || whole.is_index || whole.consumers.empty()) return false;
  const auto is_cache = [&](TensorId input) { return graph.tensor(input).is_cache; };
  const auto comes_twice = [&](TensorId input) { return std::ranges::count(op.inputs, input) > 1; };
  const bool stays = !joins_one_run_each(graph, op) ||
                     std::ranges::any_of(op.inputs, [&](TensorId input) { return lies_elsewhere(graph, input); });
  return stays && std::ranges::none_of(op.inputs, is_cache) && std::ranges::none_of(op.inputs, comes_twice) &&
         std::ranges::all_of(whole.consumers, [&](OperatorId id) { return loads_boxes(graph, id, op); });
}

}  // namespace

Graph with_parted_concats(const Graph& graph) {
  GraphEdit edit(graph);
  bool found = false;
  for (Operator& op : edit.operators()) {
    op.attributes.in_parts |= is_read_in_parts(graph, op);
    found |= op.attributes.in_parts;
  }
  return found ? edit.build() : graph;
}

}  // namespace tilewright
