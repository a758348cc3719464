// A look-up's prediction by the queue model: of a record that was measured it comes to what the other shape measures.
#include "planner/search/database/hit_prediction.h"

#include <gtest/gtest.h>

#include "planner/search/tiling/tiling_measurer.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

constexpr const char* kTiling = "parts 1x1x1 partition 64x64x128 tile 32x32 order mn/nm hold b";

OperatorShape product(const char* dims) {
  return parse_operator_shape(std::string("matmul ") + dims + " bf16", "test");
}

Hardware edge() { return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/edge_single.yaml"); }

TilingRecord record_of(const OperatorShape& shape, const Cost& cost) {
  TilingRecord record{.shape = shape, .point = parse_tiling_point(kTiling, "test"), .cost = cost};
  record.growth_ppm.assign(extents_of(shape).size(), 1'000'000);
  return record;
}

Cost measured(Session& session, const OperatorShape& shape) {
  const PointCost point =
      measure_point(session, tiling_operator(shape), {.point = parse_tiling_point(kTiling, "test")});
  return point.cost.value();
}

// What a record of `small` says of `large`.
Hit looked_up(Session& session, const OperatorShape& small, const OperatorShape& large) {
  const TilingIndex index({record_of(small, measured(session, small))}, TilingContext{});
  return lookup_on(index, large, session.hardware(), {.max_padding = 1}).value();
}

// No whole multiple of the record: its last rounds are not full.
TEST(QueuePredicted, IsNearWhatTheShapeMeasures) {
  Session session(edge());
  const OperatorShape large = product("1_384_200_128");
  const Hit hit = looked_up(session, product("1_128_128_128"), large);
  EXPECT_TRUE(hit.by_queue_model);
  EXPECT_NEAR(hit.predicted.cycles / static_cast<double>(measured(session, large).cycles), 1, hit.error_bound);
  EXPECT_EQ(hit.expected(Objective::kCycles), hit.predicted.cycles);
}

// Static power by the predicted time and what is switched by the events: in no proportion to the rounds here.
TEST(QueuePredicted, IsNearTheEnergyThatTheShapeMeasures) {
  Session session(load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/quad_numa.yaml"));
  const OperatorShape large = product("1_200_128_1024");
  const Hit hit = looked_up(session, product("1_128_128_128"), large);
  ASSERT_TRUE(hit.energy_error_bound);
  const auto found = static_cast<double>(measured(session, large).energy_pj);
  EXPECT_NEAR(hit.predicted.energy_pj / found, 1, *hit.energy_error_bound);
  EXPECT_EQ(hit.bound(Objective::kEnergy), hit.energy_error_bound);
}

TEST(QueuePredicted, LeavesRecordsOfTheVeryShapeAlone) {
  const OperatorShape shape = product("1_128_128_128");
  const TilingIndex index({record_of(shape, {.cycles = 4321})}, TilingContext{});
  const auto hit = lookup_on(index, shape, edge());
  ASSERT_TRUE(hit);
  EXPECT_FALSE(hit->by_queue_model);
  EXPECT_EQ(hit->predicted.cycles, 4321);
  EXPECT_EQ(hit->error_bound, 0);
}

TEST(QueuePredicted, IsLeftOutWhereItWouldBeMuchWork) {
  const TilingIndex index({record_of(product("1_128_128_128"), {.cycles = 4321})}, TilingContext{});
  const auto hit = lookup_on(index, product("1_131072_128_1024"), edge());
  ASSERT_TRUE(hit);
  EXPECT_FALSE(hit->by_queue_model);
}

}  // namespace
}  // namespace tilewright
