// Products whose operands go from core to core: what is proposed fits, and is taken where it is predicted to be faster.
#include "planner/search/tiling/hand_on_candidates.h"

#include <gmock/gmock.h>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/graph/operator_shape.h"
#include "planner/ir/hand_on.h"
#include "planner/search/tiling/plan_network.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr double kAnyTime = 1e12;

TilingOperator handed_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return tiling_operator({.dims = {1, m, n, k}});
}

std::vector<OperatorChoice> candidates(const TilingOperator& op, const Hardware& hardware, double most = kAnyTime) {
  const PlanOptions options = options_of(op, hardware, {});
  const Tiling like = tiled_plan(op, hardware, {}).operators[0].tilings.front();
  return hand_on_candidates(op, hardware, options, like, hardware.cores(), most);
}

TEST(HandOnCandidates, AreGridsOfEqualPartsThatThePlannerTakes) {
  const Hardware hardware = chip({"mesh_16.yaml"});
  const TilingOperator op = handed_product(96, 256, 512);
  const auto found = candidates(op, hardware);
  ASSERT_EQ(std::ssize(found), 6);
  for (const OperatorChoice& choice : found) {
    PlanOptions options = options_of(op, hardware, {});
    options.choices = {choice};
    const Plan plan = make_plan(op.graph, hardware, options);
    EXPECT_TRUE(hands_on(plan.operators[0]));
    expect_values(plan);
  }
}

TEST(HandOnCandidates, AreNoneThatTakeLongerThanAsked) {
  const Hardware hardware = chip({"mesh_16.yaml"});
  EXPECT_TRUE(candidates(handed_product(96, 256, 512), hardware, 100).empty());
}

TEST(HandOnCandidates, AreNoneWhereNoGridCutsEqually) {
  EXPECT_TRUE(candidates(handed_product(97, 251, 512), chip({"mesh_16.yaml"})).empty());
}

TEST(HandOnCandidates, AreNoneWithoutRoutersOrWhereClustersDiffer) {
  for (const char* file : {"tpu_v4_like_simple.yaml", "big_little.yaml", "edge_single.yaml"})
    EXPECT_TRUE(candidates(handed_product(96, 256, 512), chip({file})).empty()) << file;
}

TEST(HandOnCandidates, AreTakenWhereMemoryIsTooSlowForSixteenReaders) {
  const Hardware hardware = chip({"mesh_16.yaml"});
  const Graph graph = handed_product(384, 1024, 512).graph;
  const Plan plan = plan_network(graph, hardware, {});
  ASSERT_TRUE(hands_on(plan.operators[0]));
  const Plan alone = plan_network(graph, hardware, {.hand_on = false});
  ASSERT_FALSE(hands_on(alone.operators[0]));
  Session session(hardware);
  const Measurement handed = measure(session, plan), loaded = measure(session, alone);
  EXPECT_LT(handed.cycles, 0.9 * static_cast<double>(loaded.cycles));
  // Sixteen cores begin at once, each with a step of its own, which the model has too short.
  EXPECT_NEAR(queue_model_cycles(hardware, plan.program) / static_cast<double>(handed.cycles), 1, 0.12);
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
