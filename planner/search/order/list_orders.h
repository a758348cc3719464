// Orders by list scheduling, which searches begin with: from the front, of the ready operators always the one that a
// rule puts first.
//
// Cores wait for each other where one reads what another wrote, so all rules keep readers apart from what they read
// (as list scheduling of instructions does with latencies).
#pragma once

#include <array>

#include "planner/search/order/operator_dag.h"

namespace tilewright {

inline constexpr int kListOrders = 3;
// One by each rule; some may be equal.
std::array<NodeOrder, kListOrders> list_orders(const ScheduleDag& dag);

}  // namespace tilewright
