// The search for the orders of a network's parts in runs of the whole network.
//
// Parts overlap where they meet, so that what an order gains in a part run alone may be lost there, and where no key
// node separates them says little. Here every run is one of the whole network, and one run tries a new order in every
// other part: between two parts with new orders lies one as it was, so that a part's time, and what it does to the part
// behind it, can be read off the run. Only the first runs may try what searches begin with in all parts at once. A
// round has runs with new orders beside those of the fastest run so far, in turn in the even and in the odd parts; and
// a run of what the round before found for each part, all together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "planner/search/order/order_search.h"
#include "planner/search/order/order_timer.h"
#include "planner/search/order/schedule.h"

namespace tilewright {

// How many new orders each part gets in `runs` runs of the network, about.
int orders_per_part(int runs);

// An order of each part.
using PartOrders = std::vector<NodeOrder>;
// The parts one after the other, in nodes of the whole.
NodeOrder joined(const Schedule& schedule, const PartOrders& orders);

struct NetworkSearchLimits {
  int runs = 1;
  Cycles stop_below = 0;
  int together = 0;  // runs of the first round in which every part has a new order
};

// Runs part `whole` of the timer `limits.runs` times at most, the first time with every part as imported, then with
// `starts`. `searches` propose the orders of each part. Fills `imported`, `worst` (the slowest), `best` and `linked`
// (the fastest) of the schedule and `timed` of the parts that share runs; cycles: the part's share of the run, and what
// it delays the part behind it. Ends with the first run of fewer cycles than `stop_below`. UserError with the reason
// when the chip has room for none. `told` is called with the runs so far.
void search_network(Schedule& schedule, std::vector<std::unique_ptr<OrderSearch>> searches, OrderTimer& timer,
                    int whole, const NetworkSearchLimits& limits, const std::vector<PartOrders>& starts = {},
                    const std::function<void(int)>& told = {});

}  // namespace tilewright
