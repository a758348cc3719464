#include "planner/search/order/network_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "planner/constants/constants.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// What one part has been tried with.
class PartTrials {
 public:
  PartTrials(PartSchedule& result, std::unique_ptr<OrderSearch> search) : result_(result), search_(std::move(search)) {
    proposed_.insert(imported());
  }

  NodeOrder imported() const {
    NodeOrder order(result_.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // Timed without having been proposed by the search.
  void note(const NodeOrder& order) { proposed_.insert(order); }

  // An order not proposed before; nothing: the search has none, or waits for times.
  std::optional<NodeOrder> propose() {
    for (std::int64_t stale = 0; stale < constants().order_stale && !complete(); ++stale) {
      auto order = search_->next();
      if (!order) return std::nullopt;
      under_way_.push_back(*order);
      settle();
      if (proposed_.insert(*order).second) return order;
    }
    return std::nullopt;
  }

  void take(const NodeOrder& order, const OrderTime& time) {
    times_.emplace(order, time);
    if (result_.shares_runs) result_.timed.push_back({order, time});
    settle();
  }

 private:
  bool complete() const { return result_.orders && *result_.orders == proposed_.size(); }

  // Searches are told in the order they asked.
  void settle() {
    for (; !under_way_.empty(); under_way_.erase(under_way_.begin())) {
      const auto known = times_.find(under_way_.front());
      if (known == times_.end()) return;
      const OrderTime& time = known->second;
      search_->report(known->first, time.ok() ? std::optional(time.cycles) : std::nullopt);
    }
  }

  PartSchedule& result_;
  std::unique_ptr<OrderSearch> search_;
  std::set<NodeOrder> proposed_;
  std::map<NodeOrder, OrderTime> times_;
  std::vector<NodeOrder> under_way_;
};

struct NetworkRun {
  PartOrders orders;
  std::vector<bool> fresh;  // by part: a new order
  TimedOrder timed;
  std::vector<Cycles> ends;  // by part, of its last operator and those of all parts before; the last: of the run

  bool ok() const { return timed.time.ok(); }
  Cycles alone(std::size_t part) const { return between(static_cast<std::ptrdiff_t>(part) - 1, part); }
  // Between two parts' ends; nothing is in front of the first.
  Cycles between(std::ptrdiff_t before, std::ptrdiff_t part) const {
    return ends[part] - (before < 0 ? 0 : ends[before]);
  }
};

bool is_faster(const NetworkRun& a, const NetworkRun& b) {
  return a.ok() && (!b.ok() || a.timed.time.cycles < b.timed.time.cycles);
}

// What `part` took, and what the part behind it took longer than in `base`, where that has the same order.
Cycles share_of(const NetworkRun& run, const NetworkRun& base, std::ptrdiff_t part) {
  const bool last = part + 1 == std::ssize(run.ends);
  if (last || !base.ok() || run.orders[part + 1] != base.orders[part + 1])
    return std::max<Cycles>(1, run.between(part - 1, part));
  return std::max<Cycles>(1, run.between(part - 1, part + 1) - base.between(part, part + 1));
}

class NetworkSearch {
 public:
  NetworkSearch(Schedule& schedule, std::vector<std::unique_ptr<OrderSearch>> searches, OrderTimer& timer, int whole)
      : schedule_(schedule), timer_(timer), whole_(whole) {
    for (std::size_t i = 0; i < searches.size(); ++i) parts_.emplace_back(schedule.parts[i], std::move(searches[i]));
  }

  void run(const NetworkSearchLimits& limits, const std::vector<PartOrders>& starts,
           const std::function<void(int)>& told) {
    left_ = limits.runs;
    together_ = limits.together;
    const TimedOrder imported = start(starts);
    while (left_ > 0 && !is_below(base_.timed.time, limits.stop_below) && round())
      if (told) told(schedule_.linked_orders());
    if (!base_.ok()) throw UserError("schedule", base_.timed.time.rejected);
    schedule_.imported = imported;
    schedule_.worst = slowest_.timed;
    schedule_.best = schedule_.linked = base_.timed;
  }

 private:
  // As imported, then `starts`.
  TimedOrder start(const std::vector<PartOrders>& starts) {
    for (const PartTrials& part : parts_) chosen_.push_back(part.imported());
    std::vector<NetworkRun> first{with_orders(chosen_)};
    for (const PartOrders& orders : starts) {
      first.push_back(with_orders(orders));
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        first.back().fresh[part] = orders[part] != chosen_[part];
        parts_[part].note(orders[part]);
      }
    }
    measure(first);
    base_ = slowest_ = first.front();
    for (std::size_t part = 0; part < parts_.size(); ++part) take(part, base_, base_);
    const TimedOrder imported = first.front().timed;
    first.erase(first.begin());
    learn(first);
    return imported;
  }

  static NetworkRun with_orders(const PartOrders& orders) {
    return {.orders = orders, .fresh = std::vector<bool>(orders.size(), false)};
  }

  // Whether anything was run.
  bool round() {
    std::vector<NetworkRun> runs;
    if (chosen_ != base_.orders) runs.push_back(with_orders(chosen_));
    add_trials(runs);
    if (runs.empty()) return false;
    measure(runs);
    learn(runs);
    return true;
  }

  // One run is left for what they find together.
  void add_trials(std::vector<NetworkRun>& runs) {
    const auto most = std::max<std::int64_t>(left_ - std::ssize(runs) - 1, runs.empty() ? 1 : 0);
    for (std::int64_t i = 0; i < std::min(constants().order_under_way, most); ++i) {
      auto run = together_ > 0 ? with_new_orders(0, 1) : with_new_orders(turn_++ % 2, 2);
      if (together_ > 0) --together_;
      if (!run) run = with_new_orders(turn_++ % 2, 2);
      if (run) runs.push_back(std::move(*run));
    }
  }

  // In every part or every other one; nothing where none of them has any.
  std::optional<NetworkRun> with_new_orders(std::size_t first, std::size_t step) {
    NetworkRun run = with_orders(base_.orders);
    bool any = false;
    for (std::size_t part = first; part < parts_.size(); part += step)
      if (auto order = parts_[part].propose()) {
        run.orders[part] = std::move(*order);
        any = run.fresh[part] = true;
      }
    return any ? std::optional(std::move(run)) : std::nullopt;
  }

  // Takes times to the searches. The fastest run is the next base; what was faster beside the base than the part is in
  // either of the two is tried together.
  void learn(const std::vector<NetworkRun>& runs) {
    const NetworkRun before = base_;
    for (const NetworkRun& run : runs) {
      if (is_faster(run, base_)) base_ = run;
      if (run.ok() && (!slowest_.ok() || is_faster(slowest_, run))) slowest_ = run;
    }
    chosen_ = base_.orders;
    std::vector<Cycles> fastest;
    for (std::size_t part = 0; part < parts_.size(); ++part)
      fastest.push_back(before.ok() ? std::min(before.alone(part), base_.alone(part)) : 0);
    for (const NetworkRun& run : runs)
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        if (!run.fresh[part]) continue;
        const OrderTime time = take(part, run, before);
        if (!time.ok() || time.cycles >= fastest[part]) continue;
        fastest[part] = time.cycles;
        chosen_[part] = run.orders[part];
      }
  }

  OrderTime take(std::size_t part, const NetworkRun& run, const NetworkRun& base) {
    OrderTime time{.rejected = run.timed.time.rejected};
    if (run.ok()) time.cycles = share_of(run, base, static_cast<std::ptrdiff_t>(part));
    parts_[part].take(run.orders[part], time);
    return time;
  }

  void measure(std::vector<NetworkRun>& runs) {
    std::vector<OrderQuery> queries;
    for (const NetworkRun& run : runs) queries.push_back({whole_, joined(schedule_, run.orders), false});
    const auto times = timer_.time(queries);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].timed = {queries[i].order, times[i]};
      if (runs[i].ok()) runs[i].ends = ends_of_parts(times[i]);
      schedule_.runs.push_back(runs[i].timed);
    }
    left_ -= static_cast<int>(runs.size());
  }

  std::vector<Cycles> ends_of_parts(const OrderTime& time) const {
    std::vector<Cycles> ends;
    Cycles last = 0;
    for (const PartSchedule& part : schedule_.parts) {
      for (const int node : part.nodes) last = std::max(last, time.ends.at(node));
      ends.push_back(last);
    }
    ends.back() = time.cycles;
    return ends;
  }

  Schedule& schedule_;
  OrderTimer& timer_;
  int whole_, left_ = 0, together_ = 0;
  std::size_t turn_ = 0;
  std::vector<PartTrials> parts_;
  PartOrders chosen_;          // the best found of each part
  NetworkRun base_, slowest_;  // base_: the fastest
};

}  // namespace

NodeOrder joined(const Schedule& schedule, const PartOrders& orders) {
  NodeOrder all;
  for (std::size_t part = 0; part < orders.size(); ++part)
    for (const int node : orders[part]) all.push_back(schedule.parts[part].nodes[node]);
  return all;
}

int orders_per_part(int runs) {
  const auto beside = static_cast<int>(constants().order_under_way);  // a run of the best so far
  return std::max(1, (runs - 1) * beside / (beside + 1) / 2);
}

void search_network(Schedule& schedule, std::vector<std::unique_ptr<OrderSearch>> searches, OrderTimer& timer,
                    int whole, const NetworkSearchLimits& limits, const std::vector<PartOrders>& starts,
                    const std::function<void(int)>& told) {
  NetworkSearch(schedule, std::move(searches), timer, whole).run(limits, starts, told);
}

}  // namespace tilewright
