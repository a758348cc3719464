#include "planner/search/order/linked_order.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "planner/search/order/network_search.h"

namespace tilewright {
namespace {

class FastestOrders final : public OrderSearch {
 public:
  FastestOrders(const PartSchedule& searched, int most) : searched_(searched) {
    std::set<std::uint64_t> programs;
    for (const std::size_t place : searched.fastest())
      if (std::ssize(left_) < most && programs.insert(searched.timed[place].time.program_hash).second)
        left_.push_back(place);
    std::ranges::reverse(left_);
  }

  std::optional<NodeOrder> next() override {
    if (left_.empty()) return std::nullopt;
    const std::size_t next = left_.back();
    left_.pop_back();
    return searched_.timed[next].order;
  }
  void report(const NodeOrder&, std::optional<Cycles>) override {}

 private:
  const PartSchedule& searched_;
  std::vector<std::size_t> left_;  // places in its `timed`, the next one last
};

// `which` says the place in `timed`.
template <typename Which>
PartOrders orders_of(const Schedule& schedule, Which which) {
  PartOrders orders;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    const PartSchedule& part = schedule.searched(i);
    orders.push_back(part.timed[which(part)].order);
  }
  return orders;
}

}  // namespace

std::unique_ptr<OrderSearch> fastest_orders(const PartSchedule& searched, int most) {
  return std::make_unique<FastestOrders>(searched, most);
}

void link_parts(Schedule& schedule, OrderTimer& timer, int whole, int tries, Cycles stop_below) {
  const bool several = schedule.parts.size() > 1;  // a part that is the whole network has been timed as such
  std::vector<std::unique_ptr<OrderSearch>> searches;
  for (std::size_t i = 0; i < schedule.parts.size(); ++i)
    searches.push_back(fastest_orders(schedule.searched(i), several ? 1 + tries : 0));
  const std::size_t first = schedule.runs.size();
  search_network(schedule, std::move(searches), timer, whole,
                 {.runs = std::numeric_limits<int>::max(), .stop_below = stop_below},
                 {orders_of(schedule, [](const PartSchedule& part) { return part.best; }),
                  orders_of(schedule, [](const PartSchedule& part) { return part.worst; })});
  schedule.best = schedule.runs[first + 1];
  schedule.worst = schedule.runs[first + 2];
}

std::optional<OrderTime> time_linked(Schedule& schedule, OrderTimer& timer, int whole) {
  for (std::size_t part = 0; part < schedule.parts.size(); ++part)
    if (schedule.searched(part).fastest().empty()) return std::nullopt;
  const NodeOrder order =
      joined(schedule, orders_of(schedule, [](const PartSchedule& part) { return part.fastest().front(); }));
  schedule.runs.push_back({order, timer.time({{whole, order, false}}).front()});
  return schedule.runs.back().time;
}

}  // namespace tilewright
