#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <queue>

#include "planner/graph/graph.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using Edges = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Edges dependencies(const Graph& graph) {
  Edges edges(graph.operators().size());
  for (const Tensor& tensor : graph.tensors()) {
    if (!tensor.producer) continue;
    for (const OperatorId consumer : tensor.consumers) boost::add_edge(*tensor.producer, consumer, edges);
  }
  return edges;
}

// The lowest operator that reaches itself; one exists when not every operator could be ordered.
OperatorId operator_on_cycle(const Edges& edges) {
  std::vector<int> component(boost::num_vertices(edges));
  const int count = boost::strong_components(edges, component.data());
  std::vector<int> size(count, 0);
  for (const int c : component) ++size[c];
  for (std::size_t v = 0; v < component.size(); ++v)
    if (size[component[v]] > 1 || boost::edge(v, v, edges).second) return static_cast<OperatorId>(v);
  SIM_CHECK(false, "no cycle in a graph without topological order");
  return -1;
}

}  // namespace

std::vector<OperatorId> Graph::topological_order() const {
  const Edges edges = dependencies(*this);
  std::vector<std::size_t> open_inputs(operators_.size());
  std::priority_queue<OperatorId, std::vector<OperatorId>, std::greater<>> ready;
  for (std::size_t v = 0; v < operators_.size(); ++v) {
    open_inputs[v] = boost::in_degree(v, edges);
    if (open_inputs[v] == 0) ready.push(static_cast<OperatorId>(v));
  }
  std::vector<OperatorId> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (auto [edge, end] = boost::out_edges(order.back(), edges); edge != end; ++edge) {
      const auto next = boost::target(*edge, edges);
      if (--open_inputs[next] == 0) ready.push(static_cast<OperatorId>(next));
    }
  }
  if (order.size() != operators_.size())
    throw UserError(name,
                    fmt::format("operator '{}' depends on its own output", operators_[operator_on_cycle(edges)].name));
  return order;
}

}  // namespace tilewright
