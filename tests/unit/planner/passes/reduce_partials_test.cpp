// Partial results: the tree that adds them up, where they wait, which signals they cost, and the sums.
#include "planner/passes/reduce_partials/reduce_partials.h"

#include <gmock/gmock.h>

#include "planner/ir/partials.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// 1 x 1024 by 1024 x 4, cut along the sum: the method's example.
Graph fully_connected(std::int64_t rows = 1) {
  Graph graph;
  const TensorId i = add_tensor(graph, "I", {rows, 1024}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "W", {1024, 4}, TensorKind::kConstant);
  add_op(graph, "fc", OpKind::kMatMul, {i, w});
  return graph;
}

Plan example(const char* file, Parallel mode = Parallel::kModel, std::int64_t rows = 1) {
  PlanOptions options{.type = DataType::kFp16};
  options.parallel = mode;
  return make_plan(fully_connected(rows), chip({file}), options);
}

struct Flags {
  int signals = 0, waits = 0;
  bool operator==(const Flags&) const = default;
};

// Flags of partial results that a core sets and waits for.
Flags partial_flags(const Plan& plan, int core) {
  Flags flags;
  for (const Instruction& instruction : plan.program.cores[core].instructions) {
    if (const auto* signal = std::get_if<Signal>(&instruction.payload)) flags.signals += signal->flag >= kPartialFlags;
    if (const auto* wait = std::get_if<Wait>(&instruction.payload)) flags.waits += wait->flag >= kPartialFlags;
  }
  return flags;
}

void expect_tree(const Plan& plan) {
  const auto& partials = plan.operators[0].partials;
  ASSERT_EQ(partials.size(), 4u);
  EXPECT_EQ(partials[0].parent, -1);
  EXPECT_EQ(partials[0].children, (std::vector<int>{1, 2}));
  EXPECT_EQ(partials[1].parent, 0);
  EXPECT_EQ(partials[2].parent, 0);
  EXPECT_EQ(partials[2].children, (std::vector<int>{3}));
  EXPECT_EQ(partials[3].parent, 2);
  for (int core = 0; core < 4; ++core)
    EXPECT_EQ(partial_flags(plan, core), (Flags{core > 0, static_cast<int>(partials[core].children.size())}));
}

TEST(ReducePartials, InClusterMemory) {
  const Plan plan = example("label_example_cache.yaml");
  expect_tree(plan);
  const auto& partials = plan.operators[0].partials;
  for (const int part : {1, 2, 3}) EXPECT_EQ(partials[part].space, Space::kCluster) << part;
  // Only what another cluster needs is copied to memory: to the reader's.
  EXPECT_EQ(partials[1].copy, -1);
  EXPECT_EQ(partials[3].copy, -1);
  EXPECT_EQ(partials[2].copy / plan.hardware.dram.region_capacity(), 0);
  expect_values(plan);
}

TEST(ReducePartials, ThroughMemoryWhereClustersHaveNone) {
  const Plan plan = example("label_example.yaml");
  expect_tree(plan);
  const auto& partials = plan.operators[0].partials;
  for (const int part : {1, 2, 3}) EXPECT_EQ(partials[part].space, Space::kDram) << part;
  EXPECT_EQ(partials[1].region, 0);
  EXPECT_EQ(partials[2].region, 1);
  EXPECT_EQ(partials[3].region, 1);
  expect_values(plan);
}

TEST(ReducePartials, WithoutSwapNothingIsSignalled) {
  const Plan plan = example("label_example_cache.yaml", Parallel::kData, 8);
  EXPECT_EQ(plan.operators[0].split.items.size(), 4u);
  EXPECT_EQ(plan.operators[0].labels.inputs[0].swap, Swap::kNo);
  EXPECT_TRUE(plan.operators[0].partials.empty());
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions) {
      EXPECT_FALSE(std::holds_alternative<Signal>(instruction.payload));
      EXPECT_FALSE(std::holds_alternative<Wait>(instruction.payload));
    }
  expect_values(plan);
}

// Several tiles per partial result, and several boxes each with its own tree.
TEST(ReducePartials, TileByTile) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {48, 300}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {300, 48}, TensorKind::kConstant);
  const TensorId bias = add_tensor(graph, "bias", {48}, TensorKind::kConstant);
  const TensorId sum = add_op(graph, "product", OpKind::kMatMul, {a, b}, {}, TensorKind::kHidden);
  add_op(graph, "biased", OpKind::kAdd, {sum, bias});
  for (const char* file : {"dual_cluster.yaml", "dual_cluster_cache.yaml"}) {
    const Small small{file, 4096, 4096, 8192};
    PlanOptions options;
    OperatorChoice choice;
    for (int core = 0; core < 4; ++core)
      choice.split.items.push_back(
          {core, {{0, 48}, {core / 2 * 24, core / 2 * 24 + 24}}, {core % 2 * 150, core % 2 * 150 + 150}});
    options.choices = {choice};
    const Plan plan = make_plan(graph, chip(small), options);
    EXPECT_EQ(plan.operators[0].partials[0].children, std::vector<int>{1});
    EXPECT_EQ(plan.operators[0].partials[2].children, std::vector<int>{3});
    EXPECT_GT(partial_flags(plan, 1).signals, 1);
    EXPECT_EQ(partial_flags(plan, 1).signals, partial_flags(plan, 0).waits);
    expect_values(plan);
  }
}

// Six cores share a sum of 31 in ranges of 6, the last of 1: too short to be cut along the sum again as theirs are, it
// needs two tiles in the accumulate buffer where they need one.
TEST(ReducePartials, OfAShortRemainderFitTheAccumulateBuffer) {
  for (const Dataflow dataflow : {Dataflow::kOutputStationary, Dataflow::kWeightStationary}) {
    Hardware hardware = chip({.buffer_b = 1024, .accumulator = 8192});
    MatmulSpec& matmul = hardware.core.matmul;
    matmul.rows = 1, matmul.columns = 6, matmul.block_m = 25, matmul.block_n = 20, matmul.dataflow = dataflow;
    Graph graph;
    const TensorId a = add_tensor(graph, "a", {31, 150}, TensorKind::kInput);
    const TensorId b = add_tensor(graph, "b", {31, 65}, TensorKind::kConstant);
    add_op(graph, "product", OpKind::kMatMul, {a, b}, {.transpose_a = true});
    PlanOptions options{.type = DataType::kFp32};
    options.parallel = Parallel::kData, options.cores = 6;
    const Plan plan = make_plan(graph, hardware, options);
    ASSERT_EQ(plan.operators[0].split.items.size(), 6u);
    EXPECT_EQ(plan.operators[0].split.items[5].k.size(), 1);
    expect_values(plan);
  }
}

// An eighth of so small an accumulate buffer is no room for a piece.
TEST(ReducePartials, HaveRoomInTheSmallestAccumulateBuffer) {
  for (const Bytes accumulator : {256, 448, 512, 576}) {
    Hardware hardware = chip({.file = "label_example.yaml", .accumulator = accumulator});
    hardware.core.matmul.rows = hardware.core.matmul.columns = 2;
    hardware.core.matmul.block_m = hardware.core.matmul.block_n = 2;
    PlanOptions options{.type = DataType::kFp16};
    options.parallel = Parallel::kModel;
    const Plan plan = make_plan(fully_connected(3), hardware, options);
    ASSERT_FALSE(plan.operators[0].partials.empty());
    expect_values(plan);
  }
}

}  // namespace
}  // namespace tilewright::test
