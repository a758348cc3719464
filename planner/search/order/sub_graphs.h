// The parts of a network whose orders are searched one by one.
#pragma once

#include "planner/constants/constants.h"
#include "planner/search/order/operator_dag.h"

namespace tilewright {

struct PartRules {
  int window = static_cast<int>(constants().order_window);          // key nodes per part
  int min_nodes = static_cast<int>(constants().order_min_nodes);    // smaller parts are merged
  std::int64_t most_orders = constants().order_merged_orders;       // of a part that others were merged into
  int most_nodes = static_cast<int>(constants().order_part_nodes);  // longer parts are cut, key node or not
};

// Parts that run one after the other, each a run of node numbers. A part reaches from behind a key node to the
// `window`-th key node behind that, which belongs to it. One of fewer than `min_nodes` nodes is merged into the one
// before, the first into the one behind it, where the result has no more than `most_orders` orders. What is longer than
// `most_nodes` and has more orders than that is cut again: in the second half of each run of `most_nodes` nodes, behind
// the node where the fewest results are still to be read.
std::vector<std::vector<int>> sub_graphs(const ScheduleDag& dag, const PartRules& rules);

}  // namespace tilewright
