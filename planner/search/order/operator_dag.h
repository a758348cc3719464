// Which operator must run before which: the graph as a search for an order sees it.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

// Nodes are the operators that run, numbered in the order as imported, which is therefore 0, 1, 2 ... Renamings of
// dimensions run nothing and are passed through.
struct ScheduleDag {
  std::vector<OperatorId> ops;                   // by node
  std::vector<std::vector<int>> next, previous;  // by node, ascending, each once

  int size() const { return static_cast<int>(ops.size()); }
  bool operator==(const ScheduleDag&) const = default;
};
using NodeOrder = std::vector<int>;       // nodes of a dag, each once
using NodeSet = boost::dynamic_bitset<>;  // by node

ScheduleDag schedule_dag(const Graph& graph);

// 0, 1, 2 ...
NodeOrder imported_order(const ScheduleDag& dag);

// The part of `dag` made of `nodes` (ascending): node i is nodes[i] there.
ScheduleDag induced(const ScheduleDag& dag, const std::vector<int>& nodes);

// Nodes not in `done` whose predecessors all are, ascending.
std::vector<int> ready_nodes(const ScheduleDag& dag, const NodeSet& done);

// Nodes on every path from a node without predecessors to a node without successors, ascending: where paths converge.
// They dominate the end of all paths (Lengauer and Tarjan's algorithm, Boost.Graph).
std::vector<int> key_nodes(const ScheduleDag& dag);

}  // namespace tilewright
