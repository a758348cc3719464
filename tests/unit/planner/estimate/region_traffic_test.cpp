// Bytes next to a core are cheap, those of another cluster's memory cost a link, and what a cluster reads twice leaves
// a cache once.
#include "planner/estimate/region_traffic.h"

#include <gtest/gtest.h>

#include "planner/estimate/bandwidth.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr double kBytes = 4 * 256 * 2;  // of four rows

// Rows of a tensor, four for each of sixteen cores, in the memories of four clusters.
Plan rows_on(const char* file) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {64, 256}, TensorKind::kInput);
  add_op(graph, "relu", OpKind::kRelu, {x});
  return make_plan(graph, chip({file}), {});
}

double cycles_of(const Plan& plan, const std::vector<OperandAccess>& accesses, bool read = true) {
  RegionTraffic traffic(plan);
  traffic.add(plan.graph.op(0).inputs[0], accesses, read);
  return traffic.cycles();
}

OperandAccess rows_of_core(int core, int reader) { return {reader, {{4 * core, 4 * core + 4}, {0, 256}}}; }

TEST(RegionTraffic, IsCheapNextToACore) {
  const Plan plan = rows_on("quad_numa.yaml");
  const double region = dram_peak(plan.hardware) / 4;
  EXPECT_DOUBLE_EQ(cycles_of(plan, {rows_of_core(5, 5)}), kBytes / std::min(region, cluster_peak(plan.hardware)));
}

TEST(RegionTraffic, OfAnotherClusterSharesALink) {
  const Plan plan = rows_on("quad_numa.yaml");
  const double link = peer_peak(plan.hardware) / constants().remote_region_cost;
  EXPECT_DOUBLE_EQ(cycles_of(plan, {rows_of_core(0, 15)}), kBytes / link);
  EXPECT_DOUBLE_EQ(cycles_of(plan, {rows_of_core(0, 15), rows_of_core(4, 14)}), 2 * kBytes / link);
  EXPECT_DOUBLE_EQ(cycles_of(plan, {rows_of_core(0, 15), rows_of_core(4, 0)}), kBytes / link);
}

TEST(RegionTraffic, CountsOnceWhatACacheKeeps) {
  const std::vector<OperandAccess> alike{rows_of_core(0, 12), rows_of_core(0, 13)};
  const Plan cached = rows_on("quad_numa_cache.yaml"), bus = rows_on("quad_numa.yaml");
  EXPECT_DOUBLE_EQ(2 * cycles_of(cached, alike), cycles_of(bus, alike));
  EXPECT_DOUBLE_EQ(cycles_of(cached, alike, false), cycles_of(bus, alike, false));
}

}  // namespace
}  // namespace tilewright::test
