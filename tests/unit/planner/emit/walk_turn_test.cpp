// Where cores begin that go through the same pieces, which lie in the memories next to them.
#include "planner/emit/walk_turn.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Hardware shipped_hardware(const std::string& file) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + file);
}

std::vector<std::size_t> first_pieces(const Hardware& hardware, const std::vector<int>& cores, std::size_t pieces) {
  std::vector<std::size_t> first;
  for (const int core : cores) first.push_back(walk_turn(hardware, cores, core).first(pieces));
  return first;
}

std::vector<int> all_cores(const Hardware& hardware) {
  std::vector<int> cores;
  for (int core = 0; core < hardware.cores(); ++core) cores.push_back(core);
  return cores;
}

// Of 16 pieces four lie next to each cluster.
TEST(WalkTurn, EveryMemoryHasOneCoreOfEachCluster) {
  const Hardware hardware = shipped_hardware("quad_numa.yaml");
  const auto first = first_pieces(hardware, all_cores(hardware), 16);
  EXPECT_THAT(first, testing::ElementsAre(0, 4, 8, 12, 5, 9, 13, 1, 10, 14, 2, 6, 15, 3, 7, 11));
  std::map<std::size_t, std::set<int>> clusters;  // by memory
  for (std::size_t core = 0; core < first.size(); ++core)
    clusters[first[core] / 4].insert(hardware.cluster_of(static_cast<int>(core)));
  for (const auto& [memory, readers] : clusters) EXPECT_EQ(readers.size(), 4u) << memory;
}

TEST(WalkTurn, MemoriesThatNoneOfTheCoresIsNextToDoNotCount) {
  const Hardware hardware = shipped_hardware("quad_numa.yaml");
  EXPECT_THAT(first_pieces(hardware, {4, 5, 12, 13}, 8), testing::ElementsAre(0, 4, 6, 2));
}

TEST(WalkTurn, CoresThatOneReadServesBeginTogether) {
  Hardware hardware = shipped_hardware("quad_numa_cache.yaml");
  EXPECT_THAT(first_pieces(hardware, all_cores(hardware), 8),
              testing::ElementsAre(0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6));
  hardware.network.multicast = 256;
  EXPECT_THAT(first_pieces(hardware, all_cores(hardware), 8), testing::Each(0));
}

TEST(WalkTurn, OfOneMemoryCoresTakeTurns) {
  const Hardware hardware = shipped_hardware("dual_cluster.yaml");
  EXPECT_THAT(first_pieces(hardware, all_cores(hardware), 8), testing::ElementsAre(0, 2, 4, 6));
}

}  // namespace
}  // namespace tilewright
