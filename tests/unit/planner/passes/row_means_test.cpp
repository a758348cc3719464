// The mean of images that a depthwise convolution makes: of rows where they are made, then of those.
#include <gmock/gmock.h>

#include "planner/estimate/bandwidth.h"
#include "planner/ir/follower.h"
#include "planner/ir/group.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// x -> depthwise -> relu, which is an output and the mean of which is another one.
Graph pooled(Shape shape, std::int64_t groups, std::int64_t kernel = 3) {
  Graph graph;
  const std::int64_t channels = shape[1];
  const TensorId x = add_tensor(graph, "x", std::move(shape), TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {channels, channels / groups, kernel, kernel}, TensorKind::kConstant);
  const std::int64_t pad = kernel / 2;
  const TensorId y = add_op(graph, "depthwise", OpKind::kConv, {x, w}, {.pads = {pad, pad, pad, pad}, .groups = groups},
                            TensorKind::kHidden);
  const TensorId rows = add_op(graph, "relu", OpKind::kRelu, {y}, {}, TensorKind::kHidden);
  add_op(graph, "mean", OpKind::kReduceMean, {rows}, {.axes = {2, 3}});
  add_op(graph, "others", OpKind::kNeg, {rows});
  return graph;
}

OperatorId leader_of_mean(const Plan& plan) {
  const auto rows = plan.graph.find_operator("mean.rows");
  return rows ? plan.operators[*rows].leader : -1;
}

TEST(RowMeans, FollowTheConvolution) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa.yaml", "tpu_v4_like.yaml"})
    for (const DataType type : {DataType::kBf16, DataType::kFp16}) {
      SCOPED_TRACE(file);
      const Plan plan = make_plan(pooled({1, 32, 14, 9}, 32), chip({.file = file}), {.type = type});
      EXPECT_EQ(leader_of_mean(plan), plan.graph.find_operator("depthwise"));
      const OperatorId rows = *plan.graph.find_operator("mean.rows");
      EXPECT_TRUE(plan.operators[rows].streams.front().empty());
      EXPECT_EQ(root_of(plan, rows), plan.graph.find_operator("depthwise"));
      EXPECT_FALSE(stays_on_core(plan, plan.graph.op(rows).output));
      EXPECT_EQ(plan.tensors[plan.graph.op(rows).output].type, DataType::kFp32);
      expect_values(plan);
    }
}

TEST(RowMeans, OfSeveralImagesAndGroups) {
  for (const std::int64_t groups : {4, 12})
    for (const std::int64_t columns : {2, 3, 17}) {
      const Plan plan = make_plan(pooled({3, 12, 6, columns}, groups, columns > 2 ? 3 : 1), chip(), {});
      EXPECT_GE(leader_of_mean(plan), 0) << columns << " columns";
      expect_values(plan);
    }
}

// Tiles that cut rows, in a buffer too small for one: the mean is an operator of its own.
TEST(RowMeans, OfRowsThatAreCutAreOnTheirOwn) {
  int following = 0, alone = 0;
  for (Bytes bytes = 256; bytes <= 16384; bytes *= 2) {
    Hardware hardware = chip({.file = "edge_single.yaml"});
    hardware.core.accumulator = bytes;
    const Plan plan = make_plan(pooled({1, 8, 6, 120}, 8), hardware, {});
    (leader_of_mean(plan) >= 0 ? following : alone)++;
    expect_values(plan);
  }
  EXPECT_GT(following, 0);
  EXPECT_GT(alone, 0);
}

// In fp32 there is no room for it beside the values; a dense convolution may be cut along its sum; nor where operators
// are to be computed each by itself.
TEST(RowMeans, AreLeftAloneElsewhere) {
  EXPECT_EQ(leader_of_mean(make_plan(pooled({1, 32, 14, 9}, 32), chip(), {.type = DataType::kFp32})), -1);
  const Plan dense = make_plan(pooled({1, 32, 14, 9}, 1), chip(), {});
  EXPECT_FALSE(dense.graph.find_operator("mean.rows"));
  const Plan apart = make_plan(pooled({1, 32, 14, 9}, 32), chip(), {.group = Grouping::kNone});
  EXPECT_FALSE(apart.graph.find_operator("mean.rows"));
  EXPECT_FALSE(make_plan(pooled({1, 32, 14, 9}, 32), chip(), {.fuse = false}).graph.find_operator("mean.rows"));
}

// Where each result of several lanes takes time, rows that are read again in less are not formed.
TEST(RowMeans, OfShortRowsDoNotPayWhereLanesAreAddedUpSlowly) {
  Hardware hardware = chip();
  const Graph graph = pooled({1, 32, 14, 9}, 32);
  const double read = 9 * 2 / dram_peak(hardware) * hardware.cores();
  hardware.core.vector.reduction_cycles = 0.99 * read;
  EXPECT_GE(leader_of_mean(make_plan(graph, hardware, {})), 0);
  hardware.core.vector.reduction_cycles = 1.01 * read;
  EXPECT_FALSE(make_plan(graph, hardware, {}).graph.find_operator("mean.rows"));
}

// Behind a group by rows, whose last member has other readers.
TEST(RowMeans, FollowAGroup) {
  Graph whole;
  const TensorId input = add_tensor(whole, "input", {1, 4, 15, 10}, TensorKind::kInput);
  const TensorId e = add_tensor(whole, "expand.w", {16, 4, 1, 1}, TensorKind::kConstant);
  const TensorId w = add_tensor(whole, "w", {16, 1, 3, 3}, TensorKind::kConstant);
  const TensorId wide = add_op(whole, "expand", OpKind::kConv, {input, e}, {}, TensorKind::kHidden);
  const TensorId y =
      add_op(whole, "depthwise", OpKind::kConv, {wide, w}, {.pads = {1, 1, 1, 1}, .groups = 16}, TensorKind::kHidden);
  add_op(whole, "mean", OpKind::kReduceMean, {y}, {.axes = {2, 3}});
  add_op(whole, "others", OpKind::kNeg, {y});
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "tpu_v4_like.yaml"}) {
    SCOPED_TRACE(file);
    PlanOptions options;
    options.groups = GroupChoice{.groups = {{{"expand", "depthwise"}, "here"}}};
    const Plan plan = make_plan(whole, chip({.file = file}), options);
    ASSERT_EQ(plan.groups.size(), 1u);
    EXPECT_EQ(leader_of_mean(plan), plan.graph.find_operator("depthwise"));
    EXPECT_FALSE(stays_on_core(plan, plan.graph.op(*plan.graph.find_operator("depthwise")).output));
    expect_values(plan);
  }
}

}  // namespace
}  // namespace tilewright::test
