#include "planner/passes/merge/parted_concats.h"

#include <algorithm>

#include "planner/graph/graph_edit.h"
#include "planner/graph/operator_traits.h"

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

// As what comes tile by tile from memory: not weights, whose layout is made for who reads them.
bool reads_rows(const Graph& graph, OperatorId reader, TensorId whole) {
  const Operator& op = graph.op(reader);
  return is_contraction(op.kind) && op.inputs[0] == whole && std::ranges::count(op.inputs, whole) == 1 &&
         std::ranges::none_of(op.epilogues, [&](const Epilogue& epilogue) { return epilogue.operand == whole; });
}

bool is_read_in_parts(const Graph& graph, const Operator& op) {
  if (op.kind != OpKind::kConcat || op.attributes.part || op.attributes.in_parts) return false;
  const Tensor& whole = graph.tensor(op.output);
  if (whole.kind != TensorKind::kHidden || whole.is_index || whole.consumers.empty()) return false;
  const auto is_cache = [&](TensorId input) { return graph.tensor(input).is_cache; };
  const auto comes_twice = [&](TensorId input) { return std::ranges::count(op.inputs, input) > 1; };
  return std::ranges::any_of(op.inputs, [&](TensorId input) { return lies_elsewhere(graph, input); }) &&
         std::ranges::none_of(op.inputs, is_cache) && std::ranges::none_of(op.inputs, comes_twice) &&
         std::ranges::all_of(whole.consumers, [&](OperatorId id) { return reads_rows(graph, id, op.output); });
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
