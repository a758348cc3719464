// How many topological orders a graph has, exactly, and one of them drawn uniformly at random.
//
// Dynamic programming over order ideals (sets of nodes that may have run first): the number of ways to finish from an
// ideal is the sum over its ready nodes. Graphs with parallel branches have few ideals; where there are more than
// allowed, there is no count.
#pragma once

#include <boost/functional/hash.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <unordered_map>

#include "planner/search/order/operator_dag.h"
#include "sim/base/random.h"

namespace tilewright {

using BigCount = boost::multiprecision::cpp_int;

class OrderCounter {
 public:
  static constexpr std::size_t kMaxIdeals = 200'000;

  explicit OrderCounter(ScheduleDag dag, std::size_t most_ideals = kMaxIdeals);

  // Nothing when the graph has more ideals than allowed.
  const std::optional<BigCount>& count() const { return count_; }

  // Every topological order with the same probability. Only where there is a count.
  NodeOrder sample(RandomSource& random) const;

 private:
  using Ideal = NodeSet;
  using Level = std::unordered_map<Ideal, BigCount, boost::hash<Ideal>>;  // ways to finish from each of one size

  bool has_more_ideals(std::size_t most) const;
  void find_ideals();
  // Nodes ready behind `ideal`, which is one with the nodes `before` ready and then `node`.
  std::vector<int> ready_behind(const Ideal& ideal, const std::vector<int>& before, int node) const;
  void count_ways();

  ScheduleDag dag_;
  std::vector<Level> levels_;
  std::optional<BigCount> count_;
};

}  // namespace tilewright
