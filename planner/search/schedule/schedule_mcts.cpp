#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "planner/search/schedule/schedule_search.h"

namespace tilewright {
namespace {

// Weight of trying what has been tried little (UCB1 has sqrt 2 for rewards in [0, 1]); orders differ by little, so that
// the best ones are followed sooner.
constexpr double kExploration = 0.5;

// A front of an order. `asked` counts the orders under way too, so that the next ones go elsewhere.
struct TreeNode {
  std::map<int, TreeNode> children;  // by the next node of the order
  int asked = 0, reported = 0;
  double sum = 0;  // of the times reported
  double best = std::numeric_limits<double>::infinity();
  bool exhausted = false;  // every order behind it has been asked
};

class Mcts final : public OrderSearch {
 public:
  Mcts(const ScheduleDag& dag, std::uint64_t seed) : dag_(dag), random_(seed) {}

  std::optional<NodeOrder> next() override {
    if (root_.exhausted) return std::nullopt;
    NodeOrder order;
    std::vector<bool> done(dag_.size(), false);
    auto take = [&](int node) {
      order.push_back(node);
      done[node] = true;
    };
    std::vector<TreeNode*> path{&root_};
    bool in_tree = true;
    while (static_cast<int>(order.size()) < dag_.size()) {
      const auto ready = ready_nodes(dag_, done);
      if (!in_tree) {
        take(ready[pick(random_, ready.size())]);
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

  void report(const NodeOrder& order, std::optional<Cycles> time) override {
    const double seen = time ? static_cast<double>(*time) : worst_;
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

 private:
  // Between 0, the slowest seen, and 1, the fastest: half by the mean of the orders behind a front, half by their best.
  double reward(const TreeNode& node) const {
    if (node.reported == 0 || worst_ <= best_) return 0.5;
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
      const double bound = reward(child) + kExploration * std::sqrt(std::log(parent.asked + 1.0) / child.asked);
      if (best < 0 || bound > best_bound) best = node, best_bound = bound;
    }
    return best;
  }

  // Marks the fronts of `order` behind which nothing is left. Where only one node is ever ready, a front in the tree
  // stands for one order, so the walk beyond the tree counts as seen when it had no choice.
  void close(const std::vector<TreeNode*>& path, const NodeOrder& order) {
    std::vector<bool> done(dag_.size(), false);
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

  ScheduleDag dag_;
  RandomSource random_;
  TreeNode root_;
  double best_ = std::numeric_limits<double>::infinity(), worst_ = 0;
};

}  // namespace

std::unique_ptr<OrderSearch> search_mcts(const ScheduleDag& dag, std::uint64_t seed) {
  return std::make_unique<Mcts>(dag, seed);
}

}  // namespace tilewright
