#include "planner/emit/walk_turn.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace tilewright {
namespace {

std::size_t index_of(const std::set<int>& values, int value) {
  return static_cast<std::size_t>(std::distance(values.begin(), values.find(value)));
}

// Of each group that one read serves, one of the cores.
std::set<int> leaders_of(const Hardware& hardware, const std::set<int>& cores) {
  std::map<int, int> leaders;
  for (const int core : cores) leaders.try_emplace(hardware.load_group(core), core);
  std::set<int> found;
  for (const auto& [group, core] : leaders) found.insert(core);
  return found;
}

}  // namespace

WalkTurn walk_turn(const Hardware& hardware, const std::set<int>& cores, int core) {
  const std::set<int> leaders = leaders_of(hardware, cores);
  const auto home_of = [&](int leader) { return hardware.local_region(hardware.cluster_of(leader)); };
  std::set<int> homes;
  for (const int leader : leaders) homes.insert(home_of(leader));
  const auto memory_of = [&](int leader) {
    const int behind = hardware.shares_loads() ? 0 : leader % hardware.cores_per_cluster;
    return (index_of(homes, home_of(leader)) + behind) % homes.size();
  };
  std::map<std::size_t, std::set<int>> begin_in;  // by memory
  for (const int leader : leaders) begin_in[memory_of(leader)].insert(leader);
  std::size_t most = 1;
  for (const auto& [memory, readers] : begin_in) most = std::max(most, readers.size());
  const int leader =
      *std::ranges::find(leaders, hardware.load_group(core), [&](int other) { return hardware.load_group(other); });
  const std::size_t memory = memory_of(leader);
  return {memory * most + index_of(begin_in.at(memory), leader), homes.size() * most};
}

}  // namespace tilewright
