// Parallel modes, the number of cores, placement, and the stagger of weights: who gets what, and right values.
#include <gmock/gmock.h>

#include <set>

#include "planner/passes/lower/weight_stagger.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// A convolution of four images, then a product of rows.
Graph network() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 6, 9, 9}, TensorKind::kInput);
  const TensorId filter = add_tensor(graph, "filter", {20, 6, 3, 3}, TensorKind::kConstant);
  const TensorId w = add_tensor(graph, "w", {80, 40}, TensorKind::kConstant);
  const TensorId conv = add_op(graph, "conv", OpKind::kConv, {x, filter}, {}, TensorKind::kHidden);
  const TensorId relu = add_op(graph, "relu", OpKind::kRelu, {conv}, {}, TensorKind::kHidden);
  const TensorId rows = add_tensor(graph, "rows", {49, 80}, TensorKind::kHidden);
  graph.add_operator({.name = "view", .kind = OpKind::kReshape, .inputs = {relu}, .output = rows});
  add_op(graph, "product", OpKind::kMatMul, {rows, w});
  return graph;
}

Plan planned(Parallel mode, const char* file = "dual_cluster.yaml", int cores = 0) {
  PlanOptions options{.fuse = false};
  options.parallel = mode;
  options.cores = cores;
  return make_plan(network(), chip({file}), options);
}

// Extents of the largest part along each dimension.
std::vector<std::int64_t> part_of(const Plan& plan, OperatorId op) {
  std::vector<std::int64_t> extents;
  for (const Range& range : plan.operators[op].split.items.front().output) extents.push_back(range.size());
  return extents;
}

// The largest part of an element-wise operator on 16 cores, in bf16.
std::vector<std::int64_t> part_of_shape(Shape shape) {
  Graph graph;
  add_op(graph, "relu", OpKind::kRelu, {add_tensor(graph, "x", std::move(shape), TensorKind::kInput)});
  const Plan plan = make_plan(graph, chip(), {});
  expect_values(plan);
  return part_of(plan, 0);
}

TEST(Parallel, RowsAreCutWhereNothingElseGivesEveryCoreAPart) {
  using Part = std::vector<std::int64_t>;
  EXPECT_EQ(part_of_shape({4, 16, 3, 64}), (Part{4, 1, 3, 64}));
  EXPECT_EQ(part_of_shape({4, 4, 3, 64}), (Part{1, 1, 3, 64}));    // two dimensions
  EXPECT_EQ(part_of_shape({4, 2, 1, 1024}), (Part{4, 2, 1, 64}));  // 128 bytes of each row
  EXPECT_EQ(part_of_shape({4, 2, 1, 255}), (Part{1, 1, 1, 127}));  // would be 30 bytes
  EXPECT_EQ(part_of_shape({1, 64}), (Part{1, 32}));                // not less than 64
  EXPECT_EQ(part_of_shape({1, 63}), (Part{1, 63}));
  EXPECT_EQ(part_of_shape({1, 512}), (Part{1, 32}));
}

// Elements that come to lie elsewhere are cut where nothing else can be, and columns are not.
TEST(Parallel, WhatIsSlicedOrAppendedIsCutWhereNothingElseCanBe) {
  using Part = std::vector<std::int64_t>;
  const auto slice = [](Shape shape) {
    Graph graph;
    const std::int64_t rows = shape[0];
    const TensorId x = add_tensor(graph, "x", std::move(shape), TensorKind::kInput);
    add_op(graph, "slice", OpKind::kSlice, {x}, {.axes = {0}, .starts = {rows / 2}, .ends = {rows}, .steps = {1}});
    return graph;
  };
  const auto append = [](const Shape& shape) {
    Graph graph;
    const TensorId x = add_tensor(graph, "x", shape, TensorKind::kInput);
    const TensorId y = add_tensor(graph, "y", {3, shape[1]}, TensorKind::kInput);
    add_op(graph, "both", OpKind::kConcat, {x, y}, {.axis = 0});
    return graph;
  };
  const auto part = [](const Graph& graph) {
    const Plan plan = make_plan(graph, chip(), {});
    expect_values(plan);
    return part_of(plan, 0);
  };
  EXPECT_EQ(part(slice({64, 20})), (Part{2, 20}));
  EXPECT_EQ(part(slice({64, 16, 3})), (Part{32, 1, 3}));
  EXPECT_EQ(part(append({61, 20})), (Part{4, 20}));
}

TEST(Parallel, DataGivesSamples) {
  const Plan plan = planned(Parallel::kData);
  EXPECT_EQ(part_of(plan, 0), (std::vector<std::int64_t>{1, 20, 7, 7}));
  EXPECT_EQ(plan.operators[0].split.items.size(), 4u);
  expect_values(plan);
}

TEST(Parallel, ModelGivesPartsOfOneOperator) {
  const Plan plan = planned(Parallel::kModel);
  for (const WorkItem& item : plan.operators[0].split.items) EXPECT_EQ(item.output[0].size(), 4);
  EXPECT_EQ(plan.operators[0].split.items.size(), 4u);
  expect_values(plan);
}

TEST(Parallel, HybridGivesSamplesToClustersAndPartsToTheirCores) {
  const Plan plan = planned(Parallel::kHybrid);
  for (const WorkItem& item : plan.operators[0].split.items) {
    const int cluster = plan.hardware.cluster_of(item.core);
    EXPECT_EQ(item.output[0], (Range{2 * cluster, 2 * cluster + 2}));
    EXPECT_LT(item.output[1].size(), 20);
  }
  expect_values(plan);
}

TEST(Parallel, ValuesAreRightOnEveryKindOfChip) {
  for (const char* file : {"dual_cluster_cache.yaml", "quad_smp.yaml", "quad_numa.yaml", "quad_numa_cache.yaml"})
    for (const Parallel mode : {Parallel::kData, Parallel::kModel, Parallel::kHybrid, Parallel::kFree}) {
      SCOPED_TRACE(std::string(file) + " " + std::string(kParallelNames[static_cast<int>(mode)]));
      expect_values(planned(mode, file));
    }
}

TEST(Parallel, OnlyTheFirstCoresWorkWhenToldSo) {
  for (const int cores : {1, 3, 5})
    for (const Parallel mode : {Parallel::kModel, Parallel::kHybrid, Parallel::kFree}) {
      const Plan plan = planned(mode, "quad_smp.yaml", cores);
      for (const OperatorPlan& op : plan.operators)
        for (const WorkItem& item : op.split.items) EXPECT_LT(item.core, cores);
      expect_values(plan);
    }
}

TEST(Placement, InTurnSpreadsPiecesOverAllMemories) {
  PlanOptions options;
  options.placement = Placement::kRoundRobin;
  const Plan plan = make_plan(network(), chip({"quad_numa.yaml"}), options);
  std::set<int> regions;
  for (const TensorPlan& tensor : plan.tensors)
    for (const PlacedPiece& piece : tensor.pieces) regions.insert(piece.region);
  EXPECT_EQ(regions.size(), 4u);
  expect_values(plan);
}

// A product whose rows are cut, so that every core needs all weights.
Plan data_parallel_product(const Small& small) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 128}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {128, 256}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, w});
  return make_plan(graph, chip(small), {.parallel = Parallel::kData});
}

// Cores whose parts use the same weights begin with different pieces and end with all of them.
TEST(WeightStagger, GoesThroughThePiecesInTurn) {
  const Plan plan = data_parallel_product({"dual_cluster.yaml", 16384, 16384, 32768});
  const auto cores = plan.operators[0].split.items.size();
  std::vector<std::size_t> first;
  for (std::size_t item = 0; item < cores; ++item) first.push_back(first_weight_piece(plan, 0, item, 8));
  EXPECT_THAT(first, testing::ElementsAre(0, 2, 4, 6));
  expect_values(plan);
}

TEST(WeightStagger, CoresOfACachedClusterGoTogether) {
  const Plan plan = data_parallel_product({"dual_cluster_cache.yaml"});
  EXPECT_EQ(first_weight_piece(plan, 0, 0, 8), first_weight_piece(plan, 0, 1, 8));
  EXPECT_NE(first_weight_piece(plan, 0, 0, 8), first_weight_piece(plan, 0, 3, 8));
}

}  // namespace
}  // namespace tilewright::test
