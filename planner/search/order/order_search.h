// Strategies that propose orders of a graph's operators to be timed.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "planner/search/order/operator_dag.h"
#include "planner/search/order/order_candidates.h"
#include "planner/search/order/order_count.h"
#include "sim/base/units.h"

namespace tilewright {

class OrderSearch {
 public:
  virtual ~OrderSearch() = default;
  // An order to be timed; may be one that was asked before. Nothing while the search waits for reports, and for good
  // when there are no reports to wait for.
  virtual std::optional<NodeOrder> next() = 0;
  // What an order came to, in the order of next(); nothing: the chip cannot run it.
  virtual void report(const NodeOrder& order, std::optional<Cycles> time) = 0;
};

enum class OrderStrategy : std::uint8_t { kAll, kRandom, kBeam, kMcts };
std::string_view name_of(OrderStrategy strategy);  // "all" "random" "beam" "mcts"
std::optional<OrderStrategy> parse_order_strategy(std::string_view name);

// Every topological order once, in lexical order.
std::unique_ptr<OrderSearch> search_all(const ScheduleDag& dag);

// Orders drawn at random: uniformly where `counter` has a count; else ready node by ready node, which prefers orders
// that keep few nodes ready.
std::unique_ptr<OrderSearch> search_random(const ScheduleDag& dag, std::shared_ptr<const OrderCounter> counter,
                                           std::uint64_t seed);

// The guided searches look at many orders by their predictions (order_candidates.h), `looks` at most, and ask first for
// the order as imported and for `starts`, then for the most promising: by its prediction and by what the orders
// measured so far came to beyond theirs. Half of the looks come before the second order asked, the others along with
// the measurements.

// Looks at orders by a beam search that fixes the order from its front and starts with the fastest measured: a step
// takes, from every candidate, each ready node next and leaves the rest in the candidate's order; of those with the
// same nodes in front the most promising stays, and of these the `width` most promising. Where that finds no new order
// it looks at neighbours of the most promising.
std::unique_ptr<OrderSearch> search_beam(const ScheduleDag& dag, int width, OrderForecast forecast, int looks,
                                         const std::vector<NodeOrder>& starts = {});

// Looks at orders by Monte Carlo tree search (UCT) over fronts of orders, the rest as in the fastest order measured but
// for some nodes drawn at random; rewards are promises, then measured times, scaled to those seen.
std::unique_ptr<OrderSearch> search_mcts(const ScheduleDag& dag, OrderForecast forecast, int looks, std::uint64_t seed,
                                         const std::vector<NodeOrder>& starts = {});

struct SearchSettings {
  OrderForecast forecast;  // for the guided strategies
  int looks = 0;
  std::uint64_t seed = 1;
  int random_starts = 0;  // random orders that the guided strategies begin with, behind those by list scheduling
};
std::unique_ptr<OrderSearch> make_search(OrderStrategy strategy, const ScheduleDag& dag,
                                         std::shared_ptr<const OrderCounter> counter, const SearchSettings& settings);

}  // namespace tilewright
