#include "planner/graph/prune.h"

#include <vector>

namespace tilewright {
namespace {

struct Liveness {
  std::vector<bool> tensors, operators;
};

Liveness live_parts(const Graph& graph) {
  Liveness live{std::vector<bool>(graph.tensors().size()), std::vector<bool>(graph.operators().size())};
  std::vector<TensorId> open;
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors().size()); ++id)
    if (graph.tensor(id).kind == TensorKind::kOutput) open.push_back(id);
  while (!open.empty()) {
    const TensorId id = open.back();
    open.pop_back();
    if (live.tensors[id]) continue;
    live.tensors[id] = true;
    if (!graph.tensor(id).producer) continue;
    live.operators[*graph.tensor(id).producer] = true;
    const std::vector<TensorId>& inputs = graph.op(*graph.tensor(id).producer).inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return live;
}

}  // namespace

Graph without_dead_parts(const Graph& graph) {
  const Liveness live = live_parts(graph);
  Graph result;
  result.name = graph.name;
  std::vector<TensorId> new_id(graph.tensors().size(), -1);
  for (std::size_t id = 0; id < new_id.size(); ++id) {
    Tensor tensor = graph.tensors()[id];
    if (!live.tensors[id] && tensor.kind != TensorKind::kInput) continue;
    tensor.producer.reset();
    tensor.consumers.clear();
    new_id[id] = result.add_tensor(std::move(tensor));
  }
  for (std::size_t id = 0; id < live.operators.size(); ++id) {
    if (!live.operators[id]) continue;
    Operator op = graph.operators()[id];
    for (TensorId& input : op.inputs) input = new_id[input];
    op.output = new_id[op.output];
    result.add_operator(std::move(op));
  }
  return result;
}

}  // namespace tilewright
