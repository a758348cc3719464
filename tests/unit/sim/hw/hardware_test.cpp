// What follows from a resolved chip.
#include "sim/hw/hardware.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Hardware, HasAClusterCacheWhereSomeWaysAreNotAddressed) {
  Hardware hardware;
  EXPECT_FALSE(hardware.has_cluster_cache());
  hardware.cluster_memory = ClusterMemorySpec{.capacity = 1 << 20, .ways = 16, .addressed_ways = 15};
  EXPECT_TRUE(hardware.has_cluster_cache());
  hardware.cluster_memory->addressed_ways = 16;
  EXPECT_FALSE(hardware.has_cluster_cache());
}

}  // namespace
}  // namespace tilewright
