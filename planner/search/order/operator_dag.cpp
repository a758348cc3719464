#include "planner/search/order/operator_dag.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <numeric>

#include "planner/ir/requirement.h"
#include "sim/base/distinct.h"

namespace tilewright {
namespace {

// The operator that makes `tensor`, seen through renamings; -1: none, an input or constant.
OperatorId maker_of(const Graph& graph, TensorId tensor) {
  return graph.tensor(without_renamings(graph, tensor)).producer.value_or(-1);
}

using Edges = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

// The dag between a source in front of all nodes without predecessors and a sink behind all without successors.
Edges closed_graph(const ScheduleDag& dag) {
  const int source = dag.size(), sink = source + 1;
  Edges edges(dag.size() + 2);
  for (int node = 0; node < dag.size(); ++node) {
    for (const int next : dag.next[node]) boost::add_edge(node, next, edges);
    if (dag.previous[node].empty()) boost::add_edge(source, node, edges);
    if (dag.next[node].empty()) boost::add_edge(node, sink, edges);
  }
  return edges;
}

}  // namespace

ScheduleDag schedule_dag(const Graph& graph) {
  ScheduleDag dag;
  std::vector<int> node_of(graph.operators().size(), -1);
  for (const OperatorId id : graph.topological_order()) {
    if (is_alias(graph.op(id).kind)) continue;
    node_of[id] = dag.size();
    dag.ops.push_back(id);
  }
  dag.next.resize(dag.ops.size());
  dag.previous.resize(dag.ops.size());
  for (int node = 0; node < dag.size(); ++node)
    for (const TensorId input : all_inputs(graph.op(dag.ops[node])))
      if (const OperatorId maker = maker_of(graph, input); maker >= 0) {
        dag.previous[node].push_back(node_of[maker]);
        dag.next[node_of[maker]].push_back(node);
      }
  for (auto* lists : {&dag.next, &dag.previous})
    for (auto& list : *lists) keep_distinct(list);
  return dag;
}

NodeOrder imported_order(const ScheduleDag& dag) {
  NodeOrder order(dag.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

ScheduleDag induced(const ScheduleDag& dag, const std::vector<int>& nodes) {
  std::vector<int> number(dag.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) number[nodes[i]] = static_cast<int>(i);
  ScheduleDag part;
  for (const int node : nodes) {
    part.ops.push_back(dag.ops[node]);
    for (auto [from, to] : {std::pair{&dag.next, &part.next}, std::pair{&dag.previous, &part.previous}}) {
      to->emplace_back();
      for (const int other : (*from)[node])
        if (number[other] >= 0) to->back().push_back(number[other]);
    }
  }
  return part;
}

std::vector<int> ready_nodes(const ScheduleDag& dag, const NodeSet& done) {
  std::vector<int> ready;
  for (int node = 0; node < dag.size(); ++node)
    if (!done[node] &&
        std::all_of(dag.previous[node].begin(), dag.previous[node].end(), [&](int before) { return done[before]; }))
      ready.push_back(node);
  return ready;
}

std::vector<int> key_nodes(const ScheduleDag& dag) {
  const Edges edges = closed_graph(dag);
  const auto source = static_cast<Edges::vertex_descriptor>(dag.size()), sink = source + 1;
  std::vector<Edges::vertex_descriptor> dominator(boost::num_vertices(edges), Edges::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      edges, source, boost::make_iterator_property_map(dominator.begin(), boost::get(boost::vertex_index, edges)));
  std::vector<int> keys;
  for (auto node = dominator[sink]; node != source && node != Edges::null_vertex(); node = dominator[node])
    keys.push_back(static_cast<int>(node));
  std::reverse(keys.begin(), keys.end());
  return keys;
}

}  // namespace tilewright
