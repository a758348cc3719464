#include "planner/search/order/sub_graphs.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "planner/search/order/order_count.h"

namespace tilewright {
namespace {

using Nodes = std::vector<int>;

// Numbers after which a part ends; the last is that of the last node.
Nodes part_ends(const ScheduleDag& dag, int window) {
  Nodes ends;
  int seen = 0;
  for (const int key : key_nodes(dag))
    if (++seen % window == 0) ends.push_back(key);
  if (ends.empty() || ends.back() != dag.size() - 1) ends.push_back(dag.size() - 1);
  return ends;
}

struct Part {
  Nodes nodes;
  BigCount orders = 1;  // more than the rules allow where they are not counted
};

class SubGraphCut {
 public:
  SubGraphCut(const ScheduleDag& dag, const PartRules& rules) : dag_(dag), rules_(rules) {}

  std::vector<Nodes> run() {
    int begin = 0;
    for (const int end : part_ends(dag_, rules_.window)) {
      Nodes nodes(end + 1 - begin);
      std::iota(nodes.begin(), nodes.end(), begin);
      begin = end + 1;
      add({nodes, orders_of(nodes)});
    }
    std::vector<Nodes> all;
    for (const Part& part : parts_) append_cut(part, all);
    return all;
  }

 private:
  // An order has as many ideals as nodes at least: more ideals than that of all allowed orders are too many orders.
  BigCount orders_of(const Nodes& nodes) const {
    const auto ideals = static_cast<std::size_t>(rules_.most_orders) * (nodes.size() + 1);
    const OrderCounter counter(induced(dag_, nodes), std::min(ideals, OrderCounter::kMaxIdeals));
    return counter.count().value_or(BigCount(rules_.most_orders) + 1);
  }

  bool is_small(const Part& part) const { return std::ssize(part.nodes) < rules_.min_nodes; }

  // A key node lies between them: every order of one goes with every order of the other.
  bool may_merge(const Part& part) const {
    if (parts_.empty()) return false;
    const bool wanted = is_small(part) || (parts_.size() == 1 && is_small(parts_.front()));
    return wanted && parts_.back().orders * part.orders <= rules_.most_orders;
  }

  void add(Part part) {
    if (!may_merge(part)) {
      parts_.push_back(std::move(part));
      return;
    }
    Part& before = parts_.back();
    before.nodes.insert(before.nodes.end(), part.nodes.begin(), part.nodes.end());
    before.orders *= part.orders;
  }

  void append_cut(const Part& part, std::vector<Nodes>& all) const {
    auto from = part.nodes.begin();
    while (part.orders > rules_.most_orders && part.nodes.end() - from > rules_.most_nodes) {
      const auto to = from + narrowest(*from, *from + rules_.most_nodes);
      all.emplace_back(from, to);
      from = to;
    }
    all.emplace_back(from, part.nodes.end());
  }

  // Nodes from `begin` on after which the fewest results that they made are read later; more than half of them.
  std::ptrdiff_t narrowest(int begin, int end) const {
    const int half = begin + (end - begin) / 2;
    int best = end, fewest = std::numeric_limits<int>::max();
    for (int cut = half + 1; cut <= end; ++cut) {
      int live = 0;
      for (int node = 0; node < cut; ++node) live += !dag_.next[node].empty() && dag_.next[node].back() >= cut;
      if (live <= fewest) best = cut, fewest = live;
    }
    return best - begin;
  }

  const ScheduleDag& dag_;
  const PartRules& rules_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Nodes> sub_graphs(const ScheduleDag& dag, const PartRules& rules) { return SubGraphCut(dag, rules).run(); }

}  // namespace tilewright
