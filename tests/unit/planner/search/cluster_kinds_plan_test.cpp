// Plans for chips whose clusters differ: larger parts for faster cores, and what all cores can hold.
#include <gtest/gtest.h>

#include <map>

#include "planner/import/import.h"
#include "planner/ir/split_index.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

TEST(CutInProportion, FollowsTheWeights) {
  EXPECT_EQ(cut_in_proportion(12, {1, 1, 1}), (std::vector<Range>{{0, 4}, {4, 8}, {8, 12}}));
  EXPECT_EQ(cut_in_proportion(100, {3, 1}), (std::vector<Range>{{0, 75}, {75, 100}}));
  EXPECT_EQ(cut_in_proportion(100, {3, 1}, 8), (std::vector<Range>{{0, 80}, {80, 100}})) << "of 13 granules 10";
}

TEST(CutInProportion, LeavesNoPieceEmpty) {
  EXPECT_EQ(cut_in_proportion(3, {1000, 1, 1}), (std::vector<Range>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(cut_in_proportion(3, {1, 1, 1000}), (std::vector<Range>{{0, 1}, {1, 2}, {2, 3}}));
}

Hardware big_little() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/big_little.yaml"); }

TilingOperator compute_bound_product() { return tiling_operator({.dims = {1, 512, 1024, 1024}}); }

// Of a product of sixteen parts on eight cores of 1,024 multiply-adds and eight of 256. Rows lie behind one another: it
// is the parts that differ, not how far memory holds all of them up.
TEST(ClusterKindsPlan, FasterCoresHaveLargerParts) {
  Session session(big_little());
  const TilingOperator op = compute_bound_product();
  PlanOptions equal{.type = op.type, .row_gaps = false}, by_speed = equal;
  by_speed.by_speed = true;
  const Plan plan = make_plan(op.graph, session.hardware(), by_speed);
  std::map<bool, std::int64_t> elements;
  for (const WorkItem& item : plan.operators[op.op].split.items)
    elements[item.core < 8] += item.output[0].size() * item.output[1].size();
  EXPECT_NEAR(static_cast<double>(elements[true]) / static_cast<double>(elements[false]), 4, 0.1);
  expect_values(plan);
  const Cycles alike = measure(session, make_plan(op.graph, session.hardware(), equal)).cycles;
  EXPECT_LT(measure(session, plan).cycles, 6 * alike / 10);
}

// A core that stands alone with its part has tiles as large as its own buffers hold.
TEST(ClusterKindsPlan, ProductsHaveTheTilesOfTheirCores) {
  const TilingOperator op = compute_bound_product();
  PlanOptions by_speed{.type = op.type};
  by_speed.by_speed = true;
  const Plan plan = make_plan(op.graph, big_little(), by_speed);
  const auto bytes = [&](const Tiling& t) { return 2 * (t.partition_m + t.partition_n) * t.partition_k; };
  const auto& tilings = plan.operators[op.op].tilings;
  EXPECT_GT(bytes(tilings.front()), bytes(tilings.back()));
  EXPECT_GT(tilings.front().tile_n, tilings.back().tile_n);
}

// What the first kind does by itself with buffers and memory of its own is among what is predicted.
TEST(ClusterKindsPlan, SmallCoresMakeNothingSlower) {
  HardwareConfig without = read_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/big_little.yaml");
  without.kinds.clear();
  without.clusters = 2;
  Session both(big_little()), big(resolve(without));
  const TilingOperator op = compute_bound_product();
  const auto cycles = [&](Session& session) {
    return static_cast<double>(measure_network(session, op.graph, {.type = op.type}).cycles);
  };
  EXPECT_LE(cycles(both), 1.02 * cycles(big));
}

// Vector operations, too, and with values: each core has what its kind holds.
TEST(ClusterKindsPlan, NetworksComputeTheRightValues) {
  for (const char* network : {"tiny_attention.onnx", "tiny_conv.yaml", "tiny_mlp.onnx"}) {
    SCOPED_TRACE(network);
    const Graph graph = import_workload(std::string(TILEWRIGHT_SOURCE_DIR "/traces/") + network);
    PlanOptions by_speed;
    by_speed.by_speed = true;
    expect_values(make_plan(graph, big_little(), by_speed));
    expect_values(plan_network(graph, big_little(), {}));
  }
}

}  // namespace
}  // namespace tilewright::test
