// What follows from a resolved chip; every hardware file that ships loads, says what its name promises, and survives
// writing and reading.
#include "sim/hw/config/hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "sim/hw/config/dram_presets.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/chip_text.h"

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

Hardware shipped(const std::string& name) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TILEWRIGHT_SOURCE_DIR "/hw_configs"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class ShippedHardware : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ShippedHardware, testing::ValuesIn(shipped_names()),
                         [](const auto& info) { return info.param; });

TEST_P(ShippedHardware, LoadsUnderItsOwnName) { EXPECT_EQ(shipped(GetParam()).name, GetParam()); }

TEST_P(ShippedHardware, ResolvedTextReadsBackAsTheSameHardware) {
  Hardware hardware = shipped(GetParam());
  std::string text = to_yaml(hardware);
  Hardware again = load_hardware_text(text, "resolved");
  EXPECT_EQ(to_yaml(again), text);
  EXPECT_EQ(again.network.terminal_router, hardware.network.terminal_router);
  EXPECT_EQ(fingerprint(again), fingerprint(hardware));
}

TEST_P(ShippedHardware, EveryEventHasAnEnergyAndTheChipAnArea) {
  Hardware hardware = shipped(GetParam());
  const auto& rate = hardware.core.matmul.rate;
  const bool has_fp8 =
      std::max(rate[static_cast<int>(DataType::kFp8E4m3)], rate[static_cast<int>(DataType::kFp8E5m2)]) > 0;
  for (int i = 0; i < kEventCount; ++i) {
    if (static_cast<Event>(i) == Event::kMacFp8 && !has_fp8) continue;
    if (static_cast<Event>(i) == Event::kNetworkAdd && hardware.network.reduction == 0) continue;
    EXPECT_GT(hardware.energy.picojoules[i], 0) << info_of(static_cast<Event>(i)).name;
  }
  EXPECT_GT(hardware.area.mm2_per_mac, 0);
}

TEST(ShippedHardwareFacts, PeaksAreThoseOfTheChips) {
  EXPECT_NEAR(shipped("tpu_v4_like").dram.peak_bytes_per_second(), 614.4e9, 0.5e9);
  EXPECT_NEAR(shipped("tpu_v3_core").dram.peak_bytes_per_second(), 450e9, 1e9);
  EXPECT_NEAR(shipped("edge_single").dram.peak_bytes_per_second(), 12.8e9, 1e6);
  EXPECT_NEAR(shipped("quad_smp").dram.peak_bytes_per_second(), 256e9, 1e6);
  EXPECT_EQ(shipped("quad_numa").cores(), 16);
  EXPECT_FALSE(shipped("quad_numa").cluster_memory);
  EXPECT_EQ(shipped("quad_numa_cache").cluster_memory->addressed_capacity(), 1 << 20);
}

// Clusters 0 and 1 of one kind, 2 of another, two cores each.
Hardware with_kinds(const std::string& kinds) {
  return chip_of({.name = "kinds",
                  .clusters = "\n" + kinds,
                  .cores_per_cluster = 2,
                  .matmul = "rows: 16, columns: 16, rate: {int8: 2}",
                  .vector = "lanes: 16",
                  .dma = "request_bytes: 256, outstanding_requests: 64",
                  .cluster_memory = "capacity_kib: 128, ways: 16, addressed_ways: 8"});
}

TEST(ClusterKinds, HaveTheKeysOfTheChipAndTheirOwn) {
  const Hardware hardware = with_kinds(R"(
  - {count: 2}
  - {count: 1, memory: false, core: {buffer_a_kib: 32, matmul: {rows: 8}, dma: {outstanding_requests: 16}}})");
  EXPECT_EQ(hardware.clusters, 3);
  EXPECT_EQ(hardware.cores(), 6);
  EXPECT_EQ(hardware.core_of(3).buffer_a, 64 << 10);
  EXPECT_EQ(hardware.core_of(4).buffer_a, 32 << 10);
  EXPECT_EQ(hardware.core_of(5).buffer_b, 64 << 10);
  EXPECT_EQ(hardware.core_of(5).matmul.columns, 16);
  EXPECT_EQ(hardware.memory_of(1)->addressed_capacity(), 64 << 10);
  EXPECT_FALSE(hardware.memory_of(2));
}

TEST(ClusterKinds, WhatAllHaveIsTheLeastOfEach) {
  const Hardware hardware = with_kinds(R"(
  - {count: 1, core: {buffer_b_kib: 128, matmul: {rate: {int8: 0}}, vector: {lanes: 8}}, cluster_memory: {ways: 8}}
  - {count: 2, core: {buffer_a_kib: 32, matmul: {rows: 8}}})");
  EXPECT_EQ(hardware.core.buffer_a, 32 << 10);
  EXPECT_EQ(hardware.core.buffer_b, 64 << 10);
  EXPECT_EQ(hardware.core.matmul.rows, 8);
  EXPECT_EQ(hardware.core.vector.lanes, 8);
  EXPECT_EQ(hardware.core.matmul.rate[static_cast<int>(DataType::kInt8)], 0) << "one array cannot";
  EXPECT_GT(hardware.core.matmul.rate[static_cast<int>(DataType::kBf16)], 0);
  EXPECT_EQ(hardware.cluster_memory->addressed_capacity(), 64 << 10) << "of 128 KiB in half of 16 ways";
}

TEST(ClusterKinds, AreWrittenAndReadBack) {
  const std::string kinds = R"(
  - {count: 2, core: {matmul: {adder_inputs: 4, image_granule: 2}}, cluster_memory: {bank_hash: true}}
  - {count: 1, memory: false, core: {matmul: {rows: 8}}}
  - {count: 1})";
  const Hardware hardware = with_kinds(kinds), again = load_hardware_text(to_yaml(hardware), "again");
  EXPECT_EQ(to_yaml(again), to_yaml(hardware));
  EXPECT_EQ(fingerprint(again), fingerprint(hardware));
  EXPECT_EQ(again.kinds.size(), 3U);
  EXPECT_EQ(again.core_of(0).matmul.adder_inputs, 4);
  EXPECT_EQ(again.core_of(6).matmul.adder_inputs, 1);
  EXPECT_TRUE(again.memory_of(0)->bank_hash);
  EXPECT_FALSE(again.memory_of(3)->bank_hash);
}

// One kind is a chip like any other.
TEST(ClusterKinds, OneKindIsNoDifference) {
  const Hardware one = with_kinds("  - {count: 3, core: {matmul: {rows: 8}}}");
  EXPECT_TRUE(one.kinds.empty());
  EXPECT_EQ(one.clusters, 3);
  EXPECT_EQ(one.core.matmul.rows, 8);
}

// The bus has turned round before the data of a write that follows a read.
TEST(DramPresets, WritesFollowReadsWhenTheBusIsFree) {
  for (const DramPreset& preset : dram_presets()) {
    const DramTiming& t = preset.timing;
    EXPECT_GE(t.RTW, t.CL + t.burst + 2 - t.CWL) << preset.name;
  }
}

TEST(ShippedHardwareFacts, FingerprintIgnoresNamesOnly) {
  Hardware hardware = shipped("quad_smp");
  Hardware other = hardware;
  other.name = "another";
  other.dram.preset = "custom";
  EXPECT_EQ(fingerprint(other), fingerprint(hardware));
  other.core.vector.lanes += 1;
  EXPECT_NE(fingerprint(other), fingerprint(hardware));
}

}  // namespace

}  // namespace tilewright
