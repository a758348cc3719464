// What loads and stores keep busy between a core and DRAM, by hand on a chip of round numbers: one channel, flits of 32
// bytes with headers of 32, requests of 128 bytes, every clock the same.
#include "planner/estimate/dram_path.h"

#include <gtest/gtest.h>

#include "planner/estimate/bandwidth.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Hardware chip() {
  Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/edge_single.yaml");
  hardware.network.clock = hardware.core_clock;
  hardware.network.ports_per_cluster = 1;
  hardware.network.channels = 1;
  hardware.network.flit_bytes = hardware.network.header_bytes = 32;
  hardware.core.dma.request_bytes = hardware.dram.interleave_bytes = 128;
  hardware.core.dma.requests_per_cycle = 1;
  hardware.core.dma.setup_cycles = 10;
  hardware.core.dma.buffer_bytes_per_cycle = 64;
  return hardware;
}

constexpr DramRun kContiguous{4096, 4096};

TEST(DramPath, AContiguousLoadTakesFullRequests) {
  const Hardware hardware = chip();
  const TransferTime time = DramPath(hardware, 1).loaded(4096, 1, kContiguous, 1);
  EXPECT_DOUBLE_EQ(time.dram, 4096 / dram_peak(hardware));
  EXPECT_DOUBLE_EQ(time.from_memory, 32 * 5);  // a header and four flits each
  EXPECT_DOUBLE_EQ(time.to_memory, 32);
  EXPECT_DOUBLE_EQ(time.load_lane, 10 + 32);
  EXPECT_DOUBLE_EQ(time.store_lane, 0);
  EXPECT_DOUBLE_EQ(time.port, 64);
  EXPECT_DOUBLE_EQ(time.longest(), std::max(time.dram, 160.0));
}

TEST(DramPath, AStoreSendsItsDataTheOtherWay) {
  const Hardware hardware = chip();
  const TransferTime time = DramPath(hardware, 1).stored(4096, 2, kContiguous, 0.5);
  EXPECT_DOUBLE_EQ(time.dram, 2 * 4096 / dram_peak(hardware));
  EXPECT_DOUBLE_EQ(time.to_memory, 32 * 5);
  EXPECT_DOUBLE_EQ(time.from_memory, 32);
  EXPECT_DOUBLE_EQ(time.load_lane, 0);
  EXPECT_DOUBLE_EQ(time.store_lane, 2 * 10 + 32);
}

// Runs of 32 bytes are a request and a packet of two flits each; runs of 96 bytes at multiples of 96 are cut at
// multiples of 128: one and a half requests each, of two flits of data.
TEST(DramPath, ShortRunsAreRequestsOfTheirOwn) {
  const Hardware hardware = chip();
  const DramPath path(hardware, 1);
  const TransferTime aligned = path.loaded(3200, 1, {32, 128}, 1), crossing = path.loaded(9600, 1, {96, 96}, 1);
  EXPECT_DOUBLE_EQ(aligned.to_memory, 100);
  EXPECT_DOUBLE_EQ(aligned.from_memory, 200);
  EXPECT_DOUBLE_EQ(crossing.to_memory, 150);
  EXPECT_DOUBLE_EQ(crossing.from_memory, 450);
}

TEST(DramPath, CoresShareChannelsAndThePortsOfTheirCluster) {
  Hardware hardware = chip();
  hardware.cores_per_cluster = 2, hardware.clusters = 2;
  const TransferTime one = DramPath(hardware, 1).loaded(4096, 1, kContiguous, 1);
  const TransferTime four = DramPath(hardware, 4).loaded(4096, 1, kContiguous, 1);
  EXPECT_DOUBLE_EQ(four.dram, 4 * one.dram);
  EXPECT_DOUBLE_EQ(four.from_memory, 4 * one.from_memory);  // of one channel
  EXPECT_DOUBLE_EQ(four.port, one.port);
  hardware.network.channels = 4;
  EXPECT_DOUBLE_EQ(DramPath(hardware, 4).loaded(4096, 1, kContiguous, 1).from_memory, 2 * one.from_memory);
}

TEST(DramPath, WithoutRoutersAPacketIsOneFlitOfAnyLength) {
  Hardware hardware = chip();
  hardware.network.topology = Topology::kSimple;
  const TransferTime time = DramPath(hardware, 1).loaded(4096, 1, kContiguous, 1);
  EXPECT_DOUBLE_EQ(time.from_memory, 32);
  EXPECT_DOUBLE_EQ(time.to_memory, 32);
}

}  // namespace
}  // namespace tilewright
