// What adding up partial results should take: in cluster memory at that memory's share, where it has room for them.
#include "planner/estimate/part_time.h"

#include <gtest/gtest.h>

#include "planner/estimate/bandwidth.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

constexpr Bytes kPartial = 64 * 64 * 4;  // bytes of one partial result, fp32

Plan plan_of(const Hardware& hardware) {
  Graph graph;
  const TensorId a = graph.add_tensor({.name = "a", .shape = {64, 4096}, .kind = TensorKind::kInput});
  const TensorId b = graph.add_tensor({.name = "b", .shape = {4096, 64}, .kind = TensorKind::kConstant});
  const TensorId c = graph.add_tensor({.name = "c", .shape = {64, 64}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {a, b}, .output = c});
  return make_plan(graph, hardware, {}, {.stop_after = "label"});
}

// Of `parts` partial results of the whole product; clusters of `addressed` bytes that programs address.
double cycles(std::int64_t parts, StoreLevel store, Bytes addressed) {
  Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp_cache.yaml");
  hardware.cluster_memory->ways = hardware.cluster_memory->addressed_ways = 1;
  hardware.cluster_memory->capacity = addressed;
  const Plan plan = plan_of(hardware);
  const auto part = make_contraction(plan, plan.graph.op(0), {{0, 64}, {0, 64}}, {0, 4096 / parts});
  return reduction_cycles(plan, *part, parts, store);
}

TEST(PartTime, PartialResultsMoveAtTheShareOfTheMemoryTheyLieIn) {
  const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp_cache.yaml");
  const double dram = bandwidth_share(hardware, hardware.cores()), cluster = cluster_memory_share(hardware);
  ASSERT_GT(cluster, dram);
  const Bytes room = 1 << 20;
  const double faster = 2 * kPartial * (1 / dram - 1 / cluster);
  for (const std::int64_t parts : {2, 4}) {
    EXPECT_NEAR(cycles(parts, StoreLevel::kMem, room) - cycles(parts, StoreLevel::kCluster, room),
                static_cast<double>(parts - 1) * faster, 1e-6);
  }
  // Of 16 parts the sums of four clusters meet in DRAM.
  EXPECT_NEAR(cycles(16, StoreLevel::kMem, room) - cycles(16, StoreLevel::kCluster, room), 3 * faster, 1e-6);
}

TEST(PartTime, OnlyWhereAllOfThemHaveRoom) {
  const double in_dram = cycles(4, StoreLevel::kMem, 1 << 20);
  EXPECT_LT(cycles(4, StoreLevel::kCluster, 3 * kPartial), in_dram);
  EXPECT_EQ(cycles(4, StoreLevel::kCluster, 3 * kPartial - 1), in_dram);
  // Two pairs in a cluster of four cores: one partial result of each.
  EXPECT_EQ(cycles(2, StoreLevel::kCluster, 2 * kPartial - 1), cycles(2, StoreLevel::kMem, 1 << 20));
}

}  // namespace
}  // namespace tilewright
