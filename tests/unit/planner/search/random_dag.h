// Small random graphs of nodes alone, and what is true of them by trying everything.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "planner/search/order/operator_dag.h"

namespace tilewright::test {

inline ScheduleDag dag_of(int nodes, const std::vector<std::pair<int, int>>& edges) {
  ScheduleDag dag;
  dag.next.resize(nodes);
  dag.previous.resize(nodes);
  for (int node = 0; node < nodes; ++node) dag.ops.push_back(node);
  for (const auto& [from, to] : std::set<std::pair<int, int>>(edges.begin(), edges.end())) {
    dag.next[from].push_back(to);
    dag.previous[to].push_back(from);
  }
  return dag;
}

// 1 to `most` nodes; every edge leads to a higher node.
inline ScheduleDag random_dag(int most) {
  const int nodes = *rc::gen::inRange(1, most + 1);
  const int density = *rc::gen::inRange(5, 60);
  std::vector<std::pair<int, int>> edges;
  for (int from = 0; from < nodes; ++from)
    for (int to = from + 1; to < nodes; ++to)
      if (*rc::gen::inRange(0, 100) < density) edges.emplace_back(from, to);
  return dag_of(nodes, edges);
}

// Every path from a node without predecessors to one without successors.
inline std::vector<std::vector<int>> all_paths(const ScheduleDag& dag) {
  std::vector<std::vector<int>> open, paths;
  for (int node = 0; node < dag.size(); ++node)
    if (dag.previous[node].empty()) open.push_back({node});
  while (!open.empty()) {
    const std::vector<int> path = open.back();
    open.pop_back();
    if (dag.next[path.back()].empty()) paths.push_back(path);
    for (const int next : dag.next[path.back()]) {
      open.push_back(path);
      open.back().push_back(next);
    }
  }
  return paths;
}

inline bool is_topological(const ScheduleDag& dag, const NodeOrder& order) {
  std::vector<int> place(dag.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  for (int node = 0; node < dag.size(); ++node) {
    if (place[node] < 0) return false;
    for (const int next : dag.next[node])
      if (place[next] < place[node]) return false;
  }
  return static_cast<int>(order.size()) == dag.size();
}

// Permutations of the nodes that are topological orders.
inline std::set<NodeOrder> all_orders(const ScheduleDag& dag) {
  NodeOrder order(dag.ops.begin(), dag.ops.end());
  std::set<NodeOrder> orders;
  do
    if (is_topological(dag, order)) orders.insert(order);
  while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

}  // namespace tilewright::test
