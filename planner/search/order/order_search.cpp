#include "planner/search/order/order_search.h"

#include <array>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/search/order/list_orders.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Searches that do not look at what an order came to: every order, and random ones.
class AllOrders final : public OrderSearch {
 public:
  explicit AllOrders(const ScheduleDag& dag) : dag_(dag), done_(dag.size()) { descend(); }

  std::optional<NodeOrder> next() override {
    if (finished_) return std::nullopt;
    NodeOrder order = order_;
    advance();
    return order;
  }
  void report(const NodeOrder&, std::optional<Cycles>) override {}

 private:
  // Completes the order with the lowest ready nodes.
  void descend() {
    while (static_cast<int>(order_.size()) < dag_.size()) take(ready_nodes(dag_, done_).front());
  }
  // The next order in lexical order: the last place where a higher node was ready.
  void advance() {
    while (!order_.empty()) {
      const int node = order_.back();
      order_.pop_back();
      done_[node] = false;
      for (const int other : ready_nodes(dag_, done_))
        if (other > node) {
          take(other);
          descend();
          return;
        }
    }
    finished_ = true;
  }
  void take(int node) {
    done_[node] = true;
    order_.push_back(node);
  }

  ScheduleDag dag_;
  NodeSet done_;
  NodeOrder order_;
  bool finished_ = false;
};

class RandomOrders final : public OrderSearch {
 public:
  RandomOrders(const ScheduleDag& dag, std::shared_ptr<const OrderCounter> counter, std::uint64_t seed)
      : dag_(dag), counter_(std::move(counter)), random_(seed) {}

  std::optional<NodeOrder> next() override {
    return counter_ && counter_->count() ? counter_->sample(random_) : walk();
  }
  void report(const NodeOrder&, std::optional<Cycles>) override {}

 private:
  NodeOrder walk() {
    NodeOrder order;
    NodeSet done(dag_.size());
    while (static_cast<int>(order.size()) < dag_.size()) {
      const auto ready = ready_nodes(dag_, done);
      order.push_back(ready[pick(random_, ready.size())]);
      done[order.back()] = true;
    }
    return order;
  }

  ScheduleDag dag_;
  std::shared_ptr<const OrderCounter> counter_;
  RandomSource random_;
};

constexpr std::array<std::pair<OrderStrategy, std::string_view>, 4> kNames{{{OrderStrategy::kAll, "all"},
                                                                            {OrderStrategy::kRandom, "random"},
                                                                            {OrderStrategy::kBeam, "beam"},
                                                                            {OrderStrategy::kMcts, "mcts"}}};

}  // namespace

std::unique_ptr<OrderSearch> search_all(const ScheduleDag& dag) { return std::make_unique<AllOrders>(dag); }

std::unique_ptr<OrderSearch> search_random(const ScheduleDag& dag, std::shared_ptr<const OrderCounter> counter,
                                           std::uint64_t seed) {
  return std::make_unique<RandomOrders>(dag, std::move(counter), seed);
}

std::string_view name_of(OrderStrategy strategy) { return kNames[static_cast<std::size_t>(strategy)].second; }

std::optional<OrderStrategy> parse_order_strategy(std::string_view name) {
  for (const auto& [strategy, known] : kNames)
    if (known == name) return strategy;
  return std::nullopt;
}

namespace {

// What guided searches begin with: orders by list scheduling, then the first that the search for random orders of the
// same seed finds.
std::vector<NodeOrder> starts_of(const ScheduleDag& dag, std::shared_ptr<const OrderCounter> counter,
                                 const SearchSettings& settings) {
  const auto search = search_random(dag, std::move(counter), settings.seed);
  const auto listed = list_orders(dag);
  std::vector<NodeOrder> orders(listed.begin(), listed.end());
  for (int i = 0; i < settings.random_starts; ++i) orders.push_back(*search->next());
  return orders;
}

}  // namespace

std::unique_ptr<OrderSearch> make_search(OrderStrategy strategy, const ScheduleDag& dag,
                                         std::shared_ptr<const OrderCounter> counter, const SearchSettings& settings) {
  switch (strategy) {
    case OrderStrategy::kAll:
      return search_all(dag);
    case OrderStrategy::kRandom:
      return search_random(dag, std::move(counter), settings.seed);
    case OrderStrategy::kBeam:
      return search_beam(dag, static_cast<int>(constants().order_beam_width), settings.forecast, settings.looks,
                         starts_of(dag, std::move(counter), settings));
    case OrderStrategy::kMcts:
      return search_mcts(dag, settings.forecast, settings.looks, settings.seed,
                         starts_of(dag, std::move(counter), settings));
  }
  SIM_CHECK(false, "strategy {}", static_cast<int>(strategy));
  return nullptr;
}

}  // namespace tilewright
