// The search for the order of a network's operators: its parts between key nodes one by one, each by measured time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/search/order/memory_order.h"
#include "planner/search/order/order_search.h"
#include "planner/search/order/order_timer.h"
#include "planner/search/order/rank_correlation.h"
#include "planner/search/order/sub_graphs.h"

namespace tilewright {

struct ScheduleOptions {
  OrderStrategy strategy = OrderStrategy::kBeam;
  PartRules parts;
  // Runs of a network whose parts share them, the one as imported included; else orders timed of each part alone.
  int budget = static_cast<int>(constants().order_budget);
  // Orders predicted for each that may be timed; the guided strategies choose from them.
  int predictions = static_cast<int>(constants().order_predictions);
  int linked = static_cast<int>(constants().order_linked);  // other orders of each part timed alone to try linked
  Cycles stop_below = 0;                                    // the search ends with the first network that takes fewer
  bool estimate_only = false;                               // times are the queue model's: nothing is measured
  bool least_memory = false;                                // the order that needs least memory is timed as well
  Bytes most_memory = 0;                                    // of tensors at once, of the order that is chosen; 0: any
  std::uint64_t seed = 1;
  int jobs = 1;
};

struct TimedOrder {
  NodeOrder order;
  OrderTime time;
};

struct PartSchedule {
  std::vector<int> nodes;           // of the whole graph
  bool shares_runs = false;         // timed in runs of the whole network, not alone
  int same_as = -1;                 // an earlier part with the same program: its search was this one's too
  std::optional<BigCount> orders;   // topological orders; nothing: too many ideals to count
  bool exhausted = false;           // every order was timed
  std::int64_t predicted = 0;       // orders predicted without being timed first
  std::vector<TimedOrder> timed;    // in the order of the search; the first is the one as imported
  std::size_t best = 0, worst = 0;  // in `timed`, of those that the chip can run
  const TimedOrder& best_order() const { return timed[best]; }
  std::vector<std::size_t> fastest() const;  // places in `timed` of what the chip can run, the fastest first
};

struct Schedule {
  bool predicted = false;           // all times are predictions of the queue model: nothing was measured
  std::vector<int> keys;            // key nodes of the whole graph
  std::vector<PartSchedule> parts;  // in the order they run
  // The whole network's program with each part as imported, at its best and at its worst; where parts share runs, the
  // fastest and the slowest of them.
  TimedOrder imported, best, worst;
  // The fastest found: what parts gain may be lost where they meet, so that, from the fastest of the three, each part
  // in turn tries others of its fastest orders in the whole network's program.
  TimedOrder linked;
  std::vector<TimedOrder> runs;             // of the whole network
  std::optional<MemoryOrder> least_memory;  // of the whole network, where it was asked for
  // Of the predictions within parts, weighted by their orders.
  std::optional<RankCorrelation> queue_model_rank, stream_rank, order_rank;

  const PartSchedule& searched(std::size_t part) const;                // the part, or the earlier one that it is again
  bool shares_runs() const;                                            // any part does
  int linked_orders() const { return static_cast<int>(runs.size()); }  // of the whole network, timed
  std::size_t measurements() const;  // orders timed alone, those of the whole network included
  // Runs of the network, the fastest first, of which no other is as fast and needs as little memory.
  std::vector<TimedOrder> best_by_memory() const;
  std::int64_t predictions() const;  // orders predicted for the guided strategies
};

// `told` is called with the orders timed so far and how many there may be at most.
using ScheduleProgress = std::function<void(std::int64_t, std::int64_t)>;
// Parts share runs of the whole network (network_search.h). Only where parts between key nodes have equal programs, so
// that timing each program once leaves half of the operators or fewer, are they timed alone first, then linked
// (link_parts); or in the runs that the others share tried in up to 1 + `linked` of their fastest orders. A part that
// is the whole network is timed as such. UserError with the reason when the chip has no room for any order of a part
// that was tried, or for the network; and when no order timed needs as little memory as ScheduleOptions::most_memory.
Schedule find_schedule(const SchedulePart& whole, const ScheduleOptions& options, const ScheduleProgress& told = {});

}  // namespace tilewright
