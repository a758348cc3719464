#include "planner/emit/walk_turn.h"

#include <algorithm>

namespace tilewright {
namespace {

// Of each group that one read serves, the first core. Ascending, as groups and memories are in the order of cores.
std::vector<int> leaders_of(const Hardware& hardware, std::vector<int> cores) {
  std::ranges::sort(cores);
  const auto together = [&](int a, int b) { return hardware.load_group(a) == hardware.load_group(b); };
  cores.erase(std::unique(cores.begin(), cores.end(), together), cores.end());
  return cores;
}

}  // namespace

int memories_behind(const Hardware& hardware, int core) {
  return hardware.shares_loads() ? 0 : core % hardware.cores_per_cluster;
}

WalkTurn walk_turn(const Hardware& hardware, const std::vector<int>& cores, int core) {
  const std::vector<int> leaders = leaders_of(hardware, cores);
  const auto home_of = [&](int leader) { return hardware.local_region(hardware.cluster_of(leader)); };
  std::vector<int> homes;
  for (const int leader : leaders)
    if (homes.empty() || homes.back() != home_of(leader)) homes.push_back(home_of(leader));
  std::vector<std::size_t> readers(homes.size(), 0);  // by the memory that they begin in
  std::size_t home = 0, memory = 0, rank = 0;
  for (const int leader : leaders) {
    if (home_of(leader) != homes[home]) ++home;
    const std::size_t begins = (home + static_cast<std::size_t>(memories_behind(hardware, leader))) % homes.size();
    if (hardware.load_group(leader) == hardware.load_group(core)) {
      memory = begins;
      rank = readers[begins];
    }
    ++readers[begins];
  }
  const std::size_t most = std::ranges::max(readers);
  return {memory * most + rank, homes.size() * most};
}

}  // namespace tilewright
