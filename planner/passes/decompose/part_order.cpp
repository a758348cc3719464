#include "planner/passes/decompose/part_order.h"

#include <algorithm>

#include "planner/graph/graph_edit.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

bool is_join(const Operator& op) { return op.kind == OpKind::kConcat && op.attributes.part; }

// The part that a slice of a concatenation shows; -1: none, or more than it.
TensorId part_shown(const Graph& graph, const Operator& slice) {
  const auto producer = graph.tensor(slice.inputs[0]).producer;
  if (!producer) return -1;
  const Operator& join = graph.op(*producer);
  const Attributes& a = slice.attributes;
  if (!is_join(join) || a.axes[0] != join.attributes.axis) return -1;
  std::int64_t first = 0;
  for (const TensorId part : join.inputs) {
    const std::int64_t size = graph.tensor(part).shape[join.attributes.axis];
    if (first == a.starts[0] && first + size == a.ends[0]) return part;
    first += size;
  }
  return -1;
}

class DepthFirst {
 public:
  explicit DepthFirst(const Graph& graph)
      : graph_(graph), part_(graph.operators().size(), false), done_(graph.operators().size(), false) {
    for (const OperatorId id : graph.topological_order()) part_[id] = is_part(id);
  }

  std::vector<OperatorId> run() {
    for (const OperatorId id : graph_.topological_order())
      if (!done_[id]) add(id);
    return std::move(order_);
  }

 private:
  // A slice or concatenation of parts, what a concatenation joins, and what reads a part.
  bool is_part(OperatorId id) const {
    const Operator& op = graph_.op(id);
    const auto& readers = graph_.tensor(op.output).consumers;
    const auto inputs = all_inputs(op);
    return op.attributes.part ||
           std::any_of(readers.begin(), readers.end(), [&](OperatorId reader) { return is_join(graph_.op(reader)); }) ||
           std::any_of(inputs.begin(), inputs.end(), [&](TensorId input) {
             const auto producer = graph_.tensor(input).producer;
             return producer && part_[*producer] && !is_join(graph_.op(*producer));
           });
  }

  // Puts the operator into `next`, behind the parts that are missing in front of it; false where something else is. A
  // concatenation waits for its parts: they come one behind the other, each with what reads it.
  bool gather(OperatorId id, std::vector<OperatorId>& next) const {
    if (std::ranges::find(next, id) != next.end()) return true;
    for (const TensorId input : all_inputs(graph_.op(id))) {
      const auto producer = graph_.tensor(input).producer;
      if (!producer || done_[*producer]) continue;
      if (is_join(graph_.op(id)) || !part_[*producer] || !gather(*producer, next)) return false;
    }
    next.push_back(id);
    return true;
  }

  // Who reads a part is looked at next: last in `open`.
  void append(OperatorId id, std::vector<OperatorId>& open) {
    done_[id] = true;
    order_.push_back(id);
    if (!part_[id]) return;
    const auto& readers = graph_.tensor(graph_.op(id).output).consumers;
    open.insert(open.end(), readers.rbegin(), readers.rend());
  }

  void add(OperatorId first) {
    std::vector<OperatorId> open{first};
    while (!open.empty()) {
      const OperatorId id = open.back();
      open.pop_back();
      std::vector<OperatorId> next;
      if (done_[id] || !gather(id, next)) continue;
      for (const OperatorId one : next) append(one, open);
    }
  }

  const Graph& graph_;
  std::vector<bool> part_, done_;
  std::vector<OperatorId> order_;
};

}  // namespace

Graph with_parts_joined(const Graph& graph) {
  GraphEdit edit(graph);
  for (std::size_t id = 0; id < graph.operators().size(); ++id) {
    const Operator& op = graph.op(static_cast<OperatorId>(id));
    if (op.kind != OpKind::kSlice || !op.attributes.part) continue;
    const TensorId part = part_shown(graph, op);
    if (part < 0) continue;
    edit.redirect(op.output, part);
    edit.remove(id);
  }
  // Of concatenations of concatenations the last one first.
  for (std::size_t id = graph.operators().size(); id-- > 0;) {
    const Operator& op = graph.op(static_cast<OperatorId>(id));
    if (is_join(op) && graph.tensor(op.output).kind == TensorKind::kHidden && !edit.is_read(op.output)) edit.remove(id);
  }
  return edit.build();
}

Graph in_depth(const Graph& graph) {
  GraphEdit edit(graph);
  edit.operators().clear();
  for (const OperatorId id : DepthFirst(graph).run()) edit.add_operator(graph.op(id));
  return edit.build();
}

}  // namespace tilewright
