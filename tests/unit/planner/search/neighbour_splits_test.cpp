// Splits that are chosen together: the cheapest of all combinations in a tree, more local bytes than without, values
// that stay right, and a placement that is never predicted slower than in turn.
#include "planner/search/tiling/neighbour_splits.h"

#include <gtest/gtest.h>

#include <limits>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/split_candidates.h"
#include "planner/search/tiling/tree_choice.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// A convolution of 1 x 1, one of each channel by itself and one of 1 x 1 again.
Graph separable() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 32, 32, 32}, TensorKind::kInput);
  const TensorId a = add_tensor(graph, "a", {96, 32, 1, 1}, TensorKind::kConstant);
  const TensorId b = add_tensor(graph, "b", {96, 1, 3, 3}, TensorKind::kConstant);
  const TensorId c = add_tensor(graph, "c", {48, 96, 1, 1}, TensorKind::kConstant);
  const TensorId wide = add_op(graph, "wide", OpKind::kConv, {x, a}, {}, TensorKind::kHidden);
  const TensorId each =
      add_op(graph, "each", OpKind::kConv, {wide, b}, {.pads = {1, 1, 1, 1}, .groups = 96}, TensorKind::kHidden);
  add_op(graph, "narrow", OpKind::kConv, {each, c});
  return graph;
}

Plan planned_alone(const char* file) { return make_plan(separable(), chip({file}), {.group = Grouping::kNone}); }

double predicted_cycles(const Plan& plan) { return queue_model_cycles(plan.hardware, plan.program); }

// Every operator as it is, and as every candidate, with times by itself that are made up.
SplitOptions made_up_options(const Plan& plan) {
  SplitOptions options(plan.operators.size());
  for (const OperatorId id : plan.order) {
    const OperatorPlan& planned = plan.operators[id];
    options[id].push_back({planned.split, planned.tilings, 1000});
    for (const Split& split : split_candidates(plan, plan.graph.op(id), planned.split)) {
      const std::vector<Tiling> tilings(split.items.size(), planned.tilings.front());
      options[id].push_back({split, tilings, 700.0 + 150.0 * static_cast<double>(options[id].size())});
    }
  }
  return options;
}

double time_of(LayoutTrial& trial, const std::vector<OperatorId>& order, const std::vector<std::size_t>& chosen) {
  for (const OperatorId id : order) trial.choose(id, chosen[id]);
  double sum = 0;
  for (const OperatorId id : order) sum += trial.time(id, chosen[id]);
  return sum;
}

std::vector<PlanOptions> splits_together(const Plan& alone, const PlanOptions& asked) {
  PredictionTable table(alone.hardware);
  return neighbour_splits(alone, asked, table);
}

TEST(TreeChoice, IsTheCheapestOfAllCombinations) {
  const Plan plan = planned_alone("quad_numa.yaml");
  const SplitOptions options = made_up_options(plan);
  LayoutTrial trial(plan, options);
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> at(3);
  for (at[0] = 0; at[0] < options[0].size(); ++at[0])
    for (at[1] = 0; at[1] < options[1].size(); ++at[1])
      for (at[2] = 0; at[2] < options[2].size(); ++at[2]) least = std::min(least, time_of(trial, plan.order, at));
  const TreeChoice choice = choose_in_trees(plan, options);
  EXPECT_NEAR(choice.time, least, 1e-6 * least);
  EXPECT_NEAR(choice.time, time_of(trial, plan.order, choice.chosen), 1e-6 * least);
  EXPECT_LT(choice.time, choice.time_before);
}

TEST(SplitCandidates, GiveOneRangeOfADimensionToEachCluster) {
  const Plan plan = planned_alone("quad_numa.yaml");
  for (const OperatorId id : plan.order) {
    const auto splits = split_candidates(plan, plan.graph.op(id), plan.operators[id].split);
    EXPECT_FALSE(splits.empty());
    for (const Split& split : splits) {
      EXPECT_EQ(split.items.size(), 16U);
      for (std::size_t i = 0; i < split.items.size(); ++i) EXPECT_EQ(split.items[i].core, static_cast<int>(i));
    }
  }
}

TEST(NeighbourSplits, KeepWhatIsReadInTheMemoryOfTheClusterThatWroteIt) {
  const Plan alone = planned_alone("quad_numa.yaml");
  const auto options = splits_together(alone, {});
  ASSERT_FALSE(options.empty());
  const Plan together = make_plan(separable(), alone.hardware, options.front());
  EXPECT_LT(activation_traffic(together, 1).cycles(), activation_traffic(alone, 1).cycles());
}

TEST(NeighbourSplits, AreNoneWhereMemoriesAreEquallyFar) {
  EXPECT_TRUE(splits_together(planned_alone("quad_smp.yaml"), {}).empty());
}

TEST(NeighbourSplits, LeaveWhatIsChosen) {
  const Plan alone = planned_alone("quad_numa.yaml");
  PlanOptions asked;
  for (const OperatorId id : alone.order) asked.choose({id, alone.operators[id].split, alone.operators[id].tilings});
  EXPECT_TRUE(splits_together(alone, asked).empty());
}

TEST(NeighbourSplits, ComputeTheRightValues) {
  const Plan alone = planned_alone("quad_numa.yaml");
  const auto options = splits_together(alone, {});
  ASSERT_FALSE(options.empty());
  for (const PlanOptions& splits : options) expect_values(make_plan(separable(), alone.hardware, splits));
}

TEST(PlanNetwork, IsNeverPredictedSlowerThanEachOperatorByItself) {
  const Plan alone = planned_alone("quad_numa.yaml");
  EXPECT_LE(predicted_cycles(plan_network(separable(), alone.hardware, {})), predicted_cycles(alone));
}

// One channel in each of seven regions, and three cores that ask it for the same rows.
Hardware seven_clusters() {
  HardwareConfig config = read_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/quad_numa.yaml");
  config.clusters = 7, config.cores_per_cluster = 3;
  config.network.ports_per_cluster = 1, config.network.channels_per_router = 1;
  config.dram.channels = 7, config.dram.regions = 7;
  Hardware hardware = resolve(config);
  hardware.core.buffer_a = hardware.core.buffer_b = hardware.core.accumulator = 64 << 10;
  return hardware;
}

TEST(PlanNetworkSlow, PlacesNothingNextToItsCoresWhereInTurnIsPredictedToBeFaster) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {256, 320}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {320, 384}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {x, w});
  const double chosen = predicted_cycles(plan_network(graph, seven_clusters(), {}));
  EXPECT_LE(0.99 * chosen,
            predicted_cycles(plan_network(graph, seven_clusters(), {.placement = Placement::kRoundRobin})));
  EXPECT_LE(chosen, predicted_cycles(plan_network(graph, seven_clusters(), {.placement = Placement::kLocal})));
}

}  // namespace
}  // namespace tilewright::test
