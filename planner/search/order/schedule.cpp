#include "planner/search/order/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "planner/constants/constants.h"
#include "planner/search/order/linked_order.h"
#include "planner/search/order/list_orders.h"
#include "planner/search/order/network_search.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

// `orders`: how many may be timed.
SearchSettings search_settings(const ScheduleOptions& options, int orders, OrderForecast forecast) {
  return {.forecast = std::move(forecast),
          .looks = static_cast<int>(std::min<std::int64_t>(std::int64_t{orders} * options.predictions, 1 << 30)),
          .seed = options.seed,
          .random_starts = static_cast<int>(constants().order_random_share * orders)};
}

// The search in one part.
class PartSearch {
 public:
  PartSearch(const SchedulePart& part, PartSchedule& result, const ScheduleOptions& options,
             const OrderForecast& forecast)
      : result_(result), budget_(options.budget) {
    auto counter = std::make_shared<OrderCounter>(part.dag);
    result.orders = counter->count();
    search_ = make_search(options.strategy, part.dag, counter, search_settings(options, options.budget, forecast));
    fresh_.push_back(imported_order(part.dag));
  }

  // The orders to time next; empty: the search is over.
  const std::vector<NodeOrder>& propose() {
    int stale = 0;
    while (std::ssize(fresh_) < constants().order_batch && room() && stale < constants().order_stale) {
      auto order = search_->next();
      if (!order && !settle()) break;
      if (!order) continue;
      const bool known = times_.contains(*order) || std::find(fresh_.begin(), fresh_.end(), *order) != fresh_.end();
      stale = known ? stale + 1 : 0;
      if (!known) fresh_.push_back(*order);
      proposals_.push_back(std::move(*order));
      settle();
    }
    return fresh_;
  }

  void take(const std::vector<OrderTime>& times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      times_[fresh_[i]] = times[i];
      result_.timed.push_back({fresh_[i], times[i]});
    }
    fresh_.clear();
    settle();
  }

 private:
  bool room() const { return static_cast<int>(result_.timed.size() + fresh_.size()) < budget_ && !complete(); }
  bool complete() const { return result_.orders && *result_.orders == result_.timed.size() + fresh_.size(); }

  // Reports the proposals whose times are known, when all are; whether there were any.
  bool settle() {
    if (proposals_.empty() || !fresh_.empty()) return false;
    for (const NodeOrder& order : proposals_) {
      const OrderTime& time = times_.at(order);
      search_->report(order, time.ok() ? std::optional(time.cycles) : std::nullopt);
    }
    proposals_.clear();
    return true;
  }

  PartSchedule& result_;
  int budget_;
  std::unique_ptr<OrderSearch> search_;
  std::vector<NodeOrder> proposals_, fresh_;
  std::map<NodeOrder, OrderTime> times_;
};

void find_extremes(PartSchedule& part) {
  if (!part.timed.front().time.ok()) {
    const auto fits = std::find_if(part.timed.begin(), part.timed.end(), [](const auto& t) { return t.time.ok(); });
    if (fits == part.timed.end() && part.shares_runs) return;  // others ran
    if (fits == part.timed.end()) throw UserError("schedule", part.timed.front().time.rejected);
    part.best = part.worst = fits - part.timed.begin();
  }
  for (std::size_t i = 0; i < part.timed.size(); ++i) {
    if (!part.timed[i].time.ok()) continue;
    if (part.timed[i].time.cycles < part.timed[part.best].time.cycles) part.best = i;
    if (part.timed[i].time.cycles > part.timed[part.worst].time.cycles) part.worst = i;
  }
  part.exhausted = part.orders && *part.orders == part.timed.size();
}

// Parts that do not reach from behind a key node, or from the beginning, to a key node or to the end.
void mark_shared(Schedule& schedule, int nodes) {
  auto is_end = [&](int node) {
    return node < 0 || node == nodes - 1 || std::binary_search(schedule.keys.begin(), schedule.keys.end(), node);
  };
  for (PartSchedule& part : schedule.parts)
    part.shares_runs = !is_end(part.nodes.front() - 1) || !is_end(part.nodes.back());
}

// Of the program in the order as imported; nothing when the chip has no room for it.
std::optional<std::uint64_t> imported_hash(const SchedulePart& part) {
  try {
    return hash_of(plan_in_order(part, imported_order(part.dag)).program);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

// Parts timed alone whose order as imported gives the program of an earlier part are that part again.
void find_repeats(const std::vector<SchedulePart>& parts, std::vector<PartSchedule>& results) {
  std::map<std::size_t, std::optional<std::uint64_t>> hashes;
  auto hash_of_part = [&](std::size_t part) {
    const auto [known, fresh] = hashes.try_emplace(part);
    if (fresh) known->second = imported_hash(parts[part]);
    return known->second;
  };
  for (std::size_t i = 0; i < results.size(); ++i)
    for (std::size_t before = 0; before < i && !results[i].shares_runs && results[i].same_as < 0; ++before) {
      if (results[before].shares_runs || results[before].same_as >= 0 || parts[before].dag != parts[i].dag) continue;
      const auto hash = hash_of_part(i);
      if (hash && hash == hash_of_part(before)) results[i].same_as = static_cast<int>(before);
    }
}

// What orders gain in a part timed alone may be lost where parts meet. It is worth it for parts that come again: one
// search is for all of them. Where that saves less than half of the work, all share runs of the network.
void share_unless_repeated(std::vector<PartSchedule>& parts) {
  std::size_t all = 0, once = 0;
  for (const PartSchedule& part : parts) {
    if (part.shares_runs) continue;
    all += part.nodes.size();
    if (part.same_as < 0) once += part.nodes.size();
  }
  const double most = constants().order_alone_share * static_cast<double>(all);
  if (parts.size() == 1 || static_cast<double>(once) <= most) return;
  for (PartSchedule& part : parts) {
    part.shares_runs = true;
    part.same_as = -1;
  }
}

// All parts timed alone at once, a batch of each per round, until `enough`.
void search_parts(const std::vector<SchedulePart>& parts, std::vector<PartSchedule>& results, OrderTimer& timer,
                  const ScheduleOptions& options, const ScheduleProgress& told, const std::function<bool()>& enough) {
  std::vector<std::unique_ptr<PartSearch>> searches(results.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].same_as < 0 && !results[i].shares_runs)
      searches[i] = std::make_unique<PartSearch>(parts[i], results[i], options, [&, i](const auto& orders) {
        results[i].predicted += std::ssize(orders);
        return timer.predict(static_cast<int>(i), orders);
      });
  const std::int64_t most =
      std::count_if(searches.begin(), searches.end(), [](const auto& s) { return s != nullptr; }) *
      std::int64_t{options.budget};
  std::int64_t timed = 0;
  for (;;) {
    std::vector<OrderQuery> queries;
    std::vector<std::pair<PartSearch*, std::size_t>> batches;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      if (!searches[i]) continue;
      const auto& orders = searches[i]->propose();
      batches.emplace_back(searches[i].get(), orders.size());
      for (const NodeOrder& order : orders) queries.push_back({static_cast<int>(i), order});
    }
    if (queries.empty()) return;
    const auto times = timer.time(queries);
    auto next = times.begin();
    for (const auto& [search, count] : batches) {
      search->take({next, next + static_cast<std::ptrdiff_t>(count)});
      next += static_cast<std::ptrdiff_t>(count);
    }
    timed += static_cast<std::int64_t>(queries.size());
    if (told) told(timed, most);
    if (enough()) return;
  }
}

// Predicts the orders of a part and keeps the predictions.
class Forecasts {
 public:
  Forecasts(OrderTimer& timer, int part) : timer_(timer), part_(part) {}

  std::vector<OrderPromise> predict(const std::vector<NodeOrder>& orders) {
    auto promises = timer_.predict(part_, orders);
    for (std::size_t i = 0; i < orders.size(); ++i) known_[orders[i]] = promises[i].time.value_or(0);
    return promises;
  }
  std::int64_t count() const { return std::ssize(known_); }
  double of(const NodeOrder& order) const {
    const auto known = known_.find(order);
    return known == known_.end() ? 0 : known->second;
  }

 private:
  OrderTimer& timer_;
  int part_;
  std::map<NodeOrder, double> known_;
};

// What guided searches begin with is tried in all parts at once.
int starts_together(OrderStrategy strategy) {
  return strategy == OrderStrategy::kBeam || strategy == OrderStrategy::kMcts ? kListOrders : 0;
}

// The parts in runs of the whole network.
void search_together(const std::vector<SchedulePart>& parts, Schedule& schedule, OrderTimer& timer,
                     const ScheduleOptions& options, const ScheduleProgress& told) {
  std::vector<std::unique_ptr<OrderSearch>> searches;
  std::vector<Forecasts> forecasts;
  auto& results = schedule.parts;
  for (std::size_t i = 0; i < results.size(); ++i) forecasts.emplace_back(timer, static_cast<int>(i));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].shares_runs) {
      searches.push_back(fastest_orders(schedule.searched(i), 1 + options.linked));
      continue;
    }
    auto counter = std::make_shared<OrderCounter>(parts[i].dag);
    results[i].orders = counter->count();
    const auto forecast = [&, i](const auto& orders) { return forecasts[i].predict(orders); };
    searches.push_back(make_search(options.strategy, parts[i].dag, counter,
                                   search_settings(options, 1 + orders_per_part(options.budget), forecast)));
  }
  search_network(schedule, std::move(searches), timer, static_cast<int>(results.size()),
                 {options.budget, options.stop_below, starts_together(options.strategy)}, {},
                 [&](int runs) { told ? told(runs, options.budget) : void(); });
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].shares_runs) continue;
    results[i].predicted = forecasts[i].count();
    for (TimedOrder& timed : results[i].timed) timed.time.queue_model_estimate = forecasts[i].of(timed.order);
  }
}

// Of one prediction, over the orders of each part; parts weigh as many as they have orders.
template <typename Estimate>
std::optional<RankCorrelation> mean_rank(const std::vector<PartSchedule>& parts, Estimate estimate) {
  RankCorrelation sum;
  double weight = 0;
  for (const PartSchedule& part : parts) {
    std::vector<double> predicted, measured;
    for (const TimedOrder& timed : part.timed) {
      if (!timed.time.ok()) continue;
      predicted.push_back(estimate(timed.time));
      measured.push_back(static_cast<double>(timed.time.cycles));
    }
    const auto rank = rank_correlation(predicted, measured);
    if (!rank) continue;
    const auto orders = static_cast<double>(measured.size());
    sum.spearman += orders * rank->spearman;
    sum.kendall += orders * rank->kendall;
    weight += orders;
  }
  if (weight == 0) return std::nullopt;
  return RankCorrelation{sum.spearman / weight, sum.kendall / weight};
}

void time_least_memory(const SchedulePart& network, Schedule& schedule, OrderTimer& timer, int whole) {
  schedule.least_memory = least_memory_order(network.dag, held_tensors(network));
  const NodeOrder& order = schedule.least_memory->order;
  schedule.runs.push_back({order, timer.time({{whole, order, false}}).front()});
}

// The fastest run that needs no more memory than `most` becomes the one that is chosen.
void choose_below(Schedule& schedule, Bytes most) {
  const auto best = schedule.best_by_memory();
  const auto found = std::ranges::find_if(best, [&](const TimedOrder& run) { return run.time.peak_memory <= most; });
  if (found == best.end())
    throw UserError("schedule", fmt::format("no order timed needs {} bytes or less for its tensors at once; the least "
                                            "is {}",
                                            most, best.back().time.peak_memory));
  schedule.linked = *found;
}

}  // namespace

std::vector<TimedOrder> Schedule::best_by_memory() const {
  std::vector<TimedOrder> sorted, best;
  std::ranges::copy_if(runs, std::back_inserter(sorted), [](const TimedOrder& run) { return run.time.ok(); });
  std::ranges::stable_sort(sorted, {},
                           [](const TimedOrder& run) { return std::pair(run.time.cycles, run.time.peak_memory); });
  for (const TimedOrder& run : sorted)
    if (best.empty() || run.time.peak_memory < best.back().time.peak_memory) best.push_back(run);
  return best;
}

std::vector<std::size_t> PartSchedule::fastest() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < timed.size(); ++i)
    if (timed[i].time.ok()) places.push_back(i);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return timed[a].time.cycles < timed[b].time.cycles; });
  return places;
}

const PartSchedule& Schedule::searched(std::size_t part) const {
  return parts[part].same_as < 0 ? parts[part] : parts[parts[part].same_as];
}

bool Schedule::shares_runs() const {
  return std::any_of(parts.begin(), parts.end(), [](const PartSchedule& part) { return part.shares_runs; });
}

std::size_t Schedule::measurements() const {
  std::size_t count = runs.size();
  for (const PartSchedule& part : parts) count += part.shares_runs ? 0 : part.timed.size();
  return count;
}

std::int64_t Schedule::predictions() const {
  std::int64_t count = 0;
  for (const PartSchedule& part : parts) count += part.predicted;
  return count;
}

Schedule find_schedule(const SchedulePart& whole, const ScheduleOptions& options, const ScheduleProgress& told) {
  Schedule schedule{.predicted = options.estimate_only};
  schedule.keys = key_nodes(whole.dag);
  std::vector<SchedulePart> parts;
  for (const auto& nodes : sub_graphs(whole.dag, options.parts)) {
    const bool all = static_cast<int>(nodes.size()) == whole.dag.size();
    parts.push_back(all ? whole : sub_part(whole, nodes));
    schedule.parts.push_back({.nodes = nodes});
  }
  mark_shared(schedule, whole.dag.size());
  find_repeats(parts, schedule.parts);
  share_unless_repeated(schedule.parts);
  parts.push_back(whole);
  OrderTimer timer(parts, options.jobs, options.estimate_only ? TimedBy::kQueueModel : TimedBy::kSimulation);
  const int network = static_cast<int>(parts.size()) - 1;
  search_parts(parts, schedule.parts, timer, options, told, [&] {
    if (options.stop_below == 0 || schedule.shares_runs()) return false;
    const auto time = time_linked(schedule, timer, network);
    return time && is_below(*time, options.stop_below);
  });
  if (schedule.shares_runs()) search_together(parts, schedule, timer, options, told);
  for (PartSchedule& part : schedule.parts)
    if (part.same_as < 0) find_extremes(part);
  if (!schedule.shares_runs()) link_parts(schedule, timer, network, options.linked, options.stop_below);
  if (options.least_memory || options.most_memory > 0) time_least_memory(whole, schedule, timer, network);
  if (options.most_memory > 0) choose_below(schedule, options.most_memory);
  schedule.queue_model_rank =
      mean_rank(schedule.parts, [](const OrderTime& time) { return time.queue_model_estimate; });
  schedule.stream_rank = mean_rank(schedule.parts, [](const OrderTime& time) { return time.stream_estimate; });
  schedule.order_rank = mean_rank(schedule.parts, [](const OrderTime& time) { return time.order_estimate; });
  return schedule;
}

}  // namespace tilewright
