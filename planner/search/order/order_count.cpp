#include "planner/search/order/order_count.h"

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
  if (!find_ideals(most_ideals)) return;
  count_ways();
  count_ = levels_.front().begin()->second;
}

bool OrderCounter::find_ideals(std::size_t most) {
  std::size_t found = 1;
  levels_.push_back({{Ideal(dag_.size()), 0}});
  for (int size = 0; size < dag_.size(); ++size) {
    Level larger;
    for (const auto& [ideal, ways] : levels_.back())
      for (const int node : ready_nodes(dag_, ideal)) larger.emplace(Ideal(ideal).set(node), 0);
    found += larger.size();
    if (found > most) return false;
    levels_.push_back(std::move(larger));
  }
  return true;
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
