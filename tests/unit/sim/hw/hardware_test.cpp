// What follows from a resolved chip.
#include "sim/hw/config/hardware.h"

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

// Two channels of 64 bytes every four clocks of 2 ns, three ports of 32 bytes every 800 ps, a core clock of 1.6 ns.
TEST(Hardware, CountsBytesOfDramAndOfPortsByTheCoresClock) {
  Hardware hardware;
  hardware.core_clock.period_ps = 1600;
  hardware.dram.channels = 2;
  hardware.dram.clock.period_ps = 2000;
  hardware.dram.timing.burst = 4;
  hardware.network.clock.period_ps = 800;
  hardware.network.flit_bytes = 32;
  hardware.network.ports_per_cluster = 3;
  EXPECT_DOUBLE_EQ(hardware.dram_bytes_per_cycle(), 2 * 64 / (4 * 2000.0) * 1600);
  EXPECT_DOUBLE_EQ(hardware.ports_bytes_per_cycle(), 3 * 32 * 2);
}

}  // namespace
}  // namespace tilewright
