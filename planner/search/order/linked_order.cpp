#include <algorithm>
#include <iterator>

#include "planner/search/order/schedule.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Which order each part runs in, by its place in `timed`.
using PartOrders = std::vector<std::size_t>;

template <typename Which>
PartOrders choices(const Schedule& schedule, Which which) {
  PartOrders chosen;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) chosen.push_back(which(schedule.searched(i)));
  return chosen;
}

// The parts one after the other, in nodes of the whole.
NodeOrder joined(const Schedule& schedule, const PartOrders& chosen) {
  NodeOrder order;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i)
    for (const int node : schedule.searched(i).timed[chosen[i]].order) order.push_back(schedule.parts[i].nodes[node]);
  return order;
}

bool faster(const OrderTime& a, const OrderTime& b) { return a.ok() && (!b.ok() || a.cycles < b.cycles); }

// The fastest orders of a part on its own, without those that give the program of `chosen`.
std::vector<std::size_t> others(const PartSchedule& part, std::size_t chosen, int most) {
  std::vector<std::size_t> fastest = part.fastest();
  std::erase_if(fastest, [&](std::size_t order) {
    return part.timed[order].time.program_hash == part.timed[chosen].time.program_hash;
  });
  if (std::ssize(fastest) > most) fastest.resize(most);
  return fastest;
}

// The linked network's program, made faster part by part.
class LinkedSearch {
 public:
  LinkedSearch(Schedule& schedule, OrderTimer& timer, int whole) : schedule_(schedule), timer_(timer), whole_(whole) {}

  void run(int tries, Cycles stop_below) {
    start();
    // A part that is the whole network has been measured as such.
    const std::size_t parts = schedule_.parts.size() > 1 ? schedule_.parts.size() : 0;
    for (std::size_t part = 0; part < parts && !is_below(schedule_.linked.time, stop_below); ++part)
      improve(part, tries);
    if (!schedule_.linked.time.ok()) throw UserError("schedule", schedule_.linked.time.rejected);
  }

 private:
  // From the fastest of: every part as imported, at its best, at its worst.
  void start() {
    const std::vector<PartOrders> ways = {choices(schedule_, [](const PartSchedule&) { return std::size_t{0}; }),
                                          choices(schedule_, [](const PartSchedule& part) { return part.best; }),
                                          choices(schedule_, [](const PartSchedule& part) { return part.worst; })};
    const auto timed = measure(ways);
    schedule_.imported = timed[0];
    schedule_.best = timed[1];
    schedule_.worst = timed[2];
    take_fastest(ways, timed);
  }

  void improve(std::size_t part, int tries) {
    std::vector<PartOrders> ways;
    for (const std::size_t other : others(schedule_.searched(part), chosen_[part], tries)) {
      ways.push_back(chosen_);
      ways.back()[part] = other;
    }
    take_fastest(ways, measure(ways));
  }

  void take_fastest(const std::vector<PartOrders>& ways, const std::vector<TimedOrder>& timed) {
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (chosen_.empty() || faster(timed[i].time, schedule_.linked.time)) {
        chosen_ = ways[i];
        schedule_.linked = timed[i];
      }
  }

  std::vector<TimedOrder> measure(const std::vector<PartOrders>& ways) {
    std::vector<OrderQuery> queries;
    for (const PartOrders& way : ways) queries.push_back({whole_, joined(schedule_, way), false});
    const auto times = timer_.time(queries);
    std::vector<TimedOrder> timed;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      timed.push_back({queries[i].order, times[i]});
      schedule_.runs.push_back(timed.back());
    }
    return timed;
  }

  Schedule& schedule_;
  OrderTimer& timer_;
  int whole_;
  PartOrders chosen_;
};

}  // namespace

void link_parts(Schedule& schedule, OrderTimer& timer, int whole, int tries, Cycles stop_below) {
  LinkedSearch(schedule, timer, whole).run(tries, stop_below);
}

std::optional<OrderTime> time_linked(Schedule& schedule, OrderTimer& timer, int whole) {
  for (std::size_t part = 0; part < schedule.parts.size(); ++part)
    if (schedule.searched(part).fastest().empty()) return std::nullopt;
  const NodeOrder order =
      joined(schedule, choices(schedule, [](const PartSchedule& part) { return part.fastest().front(); }));
  schedule.runs.push_back({order, timer.time({{whole, order, false}}).front()});
  return schedule.runs.back().time;
}

}  // namespace tilewright
