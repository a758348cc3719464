#include "planner/search/order/order_count.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Uniform over 0 ... count - 1.
BigCount draw_below(RandomSource& random, const BigCount& count) {
  const auto bits = boost::multiprecision::msb(count) + 1;
  for (;;) {
    BigCount value = 0;
    for (std::size_t have = 0; have < bits; have += 64) value = (value << 64) + random();
    value %= BigCount(1) << bits;
    if (value < count) return value;
  }
}

}  // namespace

OrderCounter::OrderCounter(ScheduleDag dag, std::size_t most_ideals) : dag_(std::move(dag)) {
  if (has_more_ideals(most_ideals)) return;
  find_ideals();
  count_ways();
  count_ = levels_.front().begin()->second;
}

// Every ideal once, without keeping any: nodes are numbered in a legal order, so an ideal without its highest node is
// one, too. It is made of that by adding a node, ready and higher than all in it.
bool OrderCounter::has_more_ideals(std::size_t most) const {
  std::vector<std::size_t> missing;  // by node: predecessors not in the ideal
  for (const auto& previous : dag_.previous) missing.push_back(previous.size());
  std::vector<int> ideal;  // ascending
  std::size_t found = 1;
  for (int node = 0;; ++node) {
    while (node < dag_.size() && missing[node] > 0) ++node;
    if (node < dag_.size()) {
      if (++found > most) return true;
      ideal.push_back(node);
      for (const int next : dag_.next[node]) --missing[next];
    } else if (ideal.empty()) {
      return false;
    } else {
      node = ideal.back();
      ideal.pop_back();
      for (const int next : dag_.next[node]) ++missing[next];
    }
  }
}

void OrderCounter::find_ideals() {
  levels_.push_back({{Ideal(dag_.size()), 0}});
  // Every ideal of the last level with the nodes ready behind it: what a node makes ready follows from the node.
  std::vector<std::pair<Ideal, std::vector<int>>> last{{Ideal(dag_.size()), ready_nodes(dag_, Ideal(dag_.size()))}};
  for (int size = 0; size < dag_.size(); ++size) {
    Level larger;
    std::vector<std::pair<Ideal, std::vector<int>>> made;
    for (const auto& [ideal, ready] : last)
      for (const int node : ready) {
        Ideal with = ideal;
        with.set(node);
        if (larger.emplace(with, 0).second) made.emplace_back(with, ready_behind(with, ready, node));
      }
    levels_.push_back(std::move(larger));
    last = std::move(made);
  }
}

std::vector<int> OrderCounter::ready_behind(const Ideal& ideal, const std::vector<int>& before, int node) const {
  std::vector<int> ready;
  for (const int other : before)
    if (other != node) ready.push_back(other);
  for (const int next : dag_.next[node]) {
    const auto& previous = dag_.previous[next];
    if (std::all_of(previous.begin(), previous.end(), [&](int p) { return ideal[p]; })) ready.push_back(next);
  }
  return ready;
}

void OrderCounter::count_ways() {
  levels_.back().begin()->second = 1;
  for (int size = dag_.size() - 1; size >= 0; --size)
    for (auto& [ideal, ways] : levels_[size])
      for (const int node : ready_nodes(dag_, ideal)) ways += levels_[size + 1].at(Ideal(ideal).set(node));
}

NodeOrder OrderCounter::sample(RandomSource& random) const {
  SIM_CHECK(count_.has_value(), "a graph without a count is sampled");
  NodeOrder order;
  Ideal ideal(dag_.size());
  for (int size = 0; size < dag_.size(); ++size) {
    BigCount rest = draw_below(random, levels_[size].at(ideal));
    for (const int node : ready_nodes(dag_, ideal)) {
      const BigCount& ways = levels_[size + 1].at(Ideal(ideal).set(node));
      if (rest >= ways) {
        rest -= ways;
        continue;
      }
      ideal.set(node);
      order.push_back(node);
      break;
    }
  }
  return order;
}

}  // namespace tilewright
