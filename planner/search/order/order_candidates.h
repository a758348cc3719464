// What a guided search knows of the orders it looks at: what was predicted of them, what was measured, and which one to
// measure next.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/search/order/order_surrogate.h"
#include "sim/base/units.h"

namespace tilewright {

// What is predicted of an order: its time, in any unit; or of one that the chip has no room for how much it needs.
struct OrderPromise {
  OrderPromise(double predicted = 0) : time(predicted) {}
  static OrderPromise without_room(double needed) {
    OrderPromise promise;
    promise.time.reset();
    promise.needed = needed;
    return promise;
  }

  std::optional<double> time;
  double needed = 0;  // in any unit
};
// Deterministic.
using OrderForecast = std::function<std::vector<OrderPromise>(const std::vector<NodeOrder>&)>;

// Acquisitions from here on are of orders that the chip has no room for: that which needs least comes first.
inline constexpr double kNoRoom = 1e6;

class OrderCandidates {
 public:
  // Orders to look at before each order asked but the first two; half of all come before the second.
  static int looks_later() { return static_cast<int>(constants().order_looks_later); }

  // Predicts `looks` orders at most.
  // `starts` are asked after the order as imported, before any other.
  OrderCandidates(const ScheduleDag& dag, OrderForecast forecast, int looks, const std::vector<NodeOrder>& starts = {})
      : dag_(dag),
        forecast_(std::move(forecast)),
        looks_left_(looks),
        starts_(starts.rbegin(), starts.rend()),
        model_(dag) {}

  int looks_left() const { return looks_left_; }
  bool knows(const NodeOrder& order) const { return known_.contains(order); }
  // Predicts those of `orders` that have not been, as many as it may.
  void look_at(const std::vector<NodeOrder>& orders);
  // Of an order that it knows: the logarithm of the time that it may come to; lower is more worth measuring.
  double acquisition(const NodeOrder& order) const;
  // All orders known, the most promising first.
  std::vector<NodeOrder> promising() const;
  // Asks for the order as imported and the starts; from then on has the search look at about `looks` orders
  // (`look(looks)`) and asks for the most promising. Nothing while reports have to come first, and when no order is
  // left.
  std::optional<NodeOrder> next(const std::function<void(int looks)>& look);
  // The most promising of the orders known and not asked, which counts as asked from then on; nothing when the chip has
  // room for none of them.
  std::optional<NodeOrder> ask();
  void ask(const NodeOrder& order);
  // What an order asked came to, in the order they were asked; nothing: the chip cannot run it.
  void report(const NodeOrder& order, std::optional<Cycles> time);

  // The fastest measured; the first order asked before there is one.
  const NodeOrder& best() const { return best_; }

 private:
  struct Known {
    double predicted = 0;  // logarithm; from kNoRoom on: of what it needs
    bool asked = false;
  };
  struct Seen {
    double time, excess;  // logarithms
    NodeOrder order;
  };

  int looks_for_next();
  std::optional<NodeOrder> ask_start();
  void forget();

  const ScheduleDag dag_;
  OrderForecast forecast_;
  int looks_left_;
  std::vector<NodeOrder> starts_;  // the next one last
  OrderSurrogate model_;
  std::map<NodeOrder, Known> known_;
  std::vector<Seen> seen_;  // what the model has learnt
  std::int64_t under_way_ = 0;
  std::size_t reported_ = 0;
  bool has_looked_ = false;
  NodeOrder best_;
  std::optional<double> fastest_;
  double slowest_ = 0;
};

}  // namespace tilewright
