#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "planner/constants/constants.h"
#include "planner/search/order/order_candidates.h"
#include "planner/search/order/order_search.h"

namespace tilewright {
namespace {

constexpr double kUnseen = std::numeric_limits<double>::infinity();

// A front of an order. `asked` counts the orders being looked at too, so that the next ones go elsewhere.
struct TreeNode {
  std::map<int, TreeNode> children;  // by the next node of the order
  int asked = 0, reported = 0;
  double sum = 0;  // of the times reported
  double best = kUnseen;
  bool exhausted = false;  // every order behind it has been asked
};

class Mcts final : public OrderSearch {
 public:
  Mcts(const ScheduleDag& dag, OrderForecast forecast, int looks, std::uint64_t seed,
       const std::vector<NodeOrder>& starts)
      : dag_(dag), candidates_(dag, std::move(forecast), looks, starts), random_(seed) {}

  std::optional<NodeOrder> next() override {
    return candidates_.next([this](int looks) { look_around(looks); });
  }

  void report(const NodeOrder& order, std::optional<Cycles> time) override {
    candidates_.report(order, time);
    reward(order, time ? std::log(static_cast<double>(*time)) : kNoRoom);
  }

 private:
  // Walks until `looks` orders more are known, or none are found any more.
  void look_around(int looks) {
    const int enough = std::max(0, candidates_.looks_left() - looks);
    for (int stale = 0;
         candidates_.looks_left() > enough && stale < constants().order_stale_trees && !root_.exhausted;) {
      std::vector<NodeOrder> orders;
      while (std::ssize(orders) < std::min<std::int64_t>(constants().order_looks_at_once, candidates_.looks_left()) &&
             !root_.exhausted)
        orders.push_back(walk());
      const int before = candidates_.looks_left();
      candidates_.look_at(orders);
      stale = before == candidates_.looks_left() ? stale + 1 : 0;
      for (const NodeOrder& order : orders) reward(order, candidates_.acquisition(order));
    }
  }

  // From the root to an order.
  NodeOrder walk() {
    NodeOrder order;
    NodeSet done(dag_.size());
    auto take = [&](int node) {
      order.push_back(node);
      done[node] = true;
    };
    const std::vector<int> places = places_in(candidates_.best());
    std::vector<TreeNode*> path{&root_};
    bool in_tree = true;
    while (static_cast<int>(order.size()) < dag_.size()) {
      const auto ready = ready_nodes(dag_, done);
      if (!in_tree) {
        take(next_behind_tree(ready, places));
        continue;
      }
      const int node = choose(*path.back(), ready);
      in_tree = path.back()->children.contains(node);
      path.push_back(&path.back()->children[node]);
      take(node);
    }
    for (TreeNode* visited : path) ++visited->asked;
    close(path, order);
    return order;
  }

  // Mostly the one that comes first in the fastest order: where there are many orders, those drawn at random to the end
  // are all far from it.
  int next_behind_tree(const std::vector<int>& ready, const std::vector<int>& places) {
    if (pick(random_, constants().order_follow) == 0) return ready[pick(random_, ready.size())];
    return *std::ranges::min_element(ready, {}, [&](int node) { return places[node]; });
  }

  // By node.
  static std::vector<int> places_in(const NodeOrder& order) {
    std::vector<int> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<int>(i);
    return places;
  }

  // What an order comes to or is expected to, to all fronts of it in the tree; one that cannot run is as slow as the
  // slowest.
  void reward(const NodeOrder& order, double seen) {
    if (seen >= kNoRoom) seen = worst_;
    if (seen == -kUnseen) return;
    best_ = std::min(best_, seen);
    worst_ = std::max(worst_, seen);
    TreeNode* node = &root_;
    for (std::size_t depth = 0;; ++depth) {
      ++node->reported;
      node->sum += seen;
      node->best = std::min(node->best, seen);
      if (depth == order.size()) break;
      const auto child = node->children.find(order[depth]);
      if (child == node->children.end()) break;
      node = &child->second;
    }
  }

  // Between 0, the slowest seen, and 1, the fastest: half by the mean of the orders behind a front, half by their best.
  double worth(const TreeNode& node) const {
    if (node.reported == 0 || worst_ <= best_) return constants().order_unknown_reward;
    const double value = (node.sum / node.reported + node.best) / 2;
    return (worst_ - value) / (worst_ - best_);
  }

  // A ready node not tried yet, at random; else the one with the highest upper bound.
  int choose(const TreeNode& parent, const std::vector<int>& ready) {
    std::vector<int> fresh;
    for (const int node : ready)
      if (!parent.children.contains(node)) fresh.push_back(node);
    if (!fresh.empty()) return fresh[pick(random_, fresh.size())];
    int best = -1;
    double best_bound = 0;
    for (const int node : ready) {
      const TreeNode& child = parent.children.at(node);
      if (child.exhausted) continue;
      const double bound =
          worth(child) + constants().order_exploration * std::sqrt(std::log(parent.asked + 1.0) / child.asked);
      if (best < 0 || bound > best_bound) best = node, best_bound = bound;
    }
    return best;
  }

  // Marks the fronts of `order` behind which nothing is left. Where only one node is ever ready, a front in the tree
  // stands for one order, so the walk beyond the tree counts as seen when it had no choice.
  void close(const std::vector<TreeNode*>& path, const NodeOrder& order) {
    NodeSet done(dag_.size());
    std::vector<std::vector<int>> ready_at;
    for (const int node : order) {
      ready_at.push_back(ready_nodes(dag_, done));
      done[node] = true;
    }
    bool forced = true;
    for (std::size_t depth = path.size() - 1; depth < order.size(); ++depth)
      forced = forced && ready_at[depth].size() == 1;
    path.back()->exhausted = forced;
    for (std::size_t depth = path.size() - 1; depth-- > 0;) {
      bool all = true;
      for (const int node : ready_at[depth]) {
        const auto child = path[depth]->children.find(node);
        all = all && child != path[depth]->children.end() && child->second.exhausted;
      }
      path[depth]->exhausted = all;
    }
  }

  const ScheduleDag dag_;
  OrderCandidates candidates_;
  RandomSource random_;
  TreeNode root_;
  double best_ = kUnseen, worst_ = -kUnseen;
};

}  // namespace

std::unique_ptr<OrderSearch> search_mcts(const ScheduleDag& dag, OrderForecast forecast, int looks, std::uint64_t seed,
                                         const std::vector<NodeOrder>& starts) {
  return std::make_unique<Mcts>(dag, std::move(forecast), looks, seed, starts);
}

}  // namespace tilewright
