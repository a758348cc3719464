// The table of strategies: complete by default, rows found and overridden.
#include "planner/ir/strategy.h"

#include <gmock/gmock.h>

#include "planner/passes/label/label_tensors.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

TEST(Strategies, AreThereForEveryOperator) {
  for (int kind = 0; kind < kOpKindCount; ++kind)
    EXPECT_TRUE(default_strategies().covers(static_cast<OpKind>(kind))) << name_of(static_cast<OpKind>(kind));
}

TEST(Strategies, AreThereForEveryOperatorInEveryModeOnBothKindsOfClusters) {
  const auto about = [](OpKind kind, Parallel mode) {
    if (kind == OpKind::kMatMulNBits) kind = OpKind::kMatMul;  // its rows are those of products
    return std::any_of(default_strategies().rows().begin(), default_strategies().rows().end(), [&](const auto& row) {
      return row.kind == kind && row.modes[static_cast<int>(mode)] && row.cache && row.bus;
    });
  };
  for (int kind = 0; kind < kOpKindCount; ++kind)
    for (const Parallel mode : {Parallel::kData, Parallel::kModel, Parallel::kHybrid, Parallel::kFree})
      EXPECT_TRUE(about(static_cast<OpKind>(kind), mode)) << name_of(static_cast<OpKind>(kind));
}

TEST(Strategies, AreThoseOfTheMethod) {
  const StrategyTable& table = default_strategies();
  const Hardware cache = chip({"label_example_cache.yaml"}), bus = chip({"label_example.yaml"});
  const auto exchange = [&](OpKind kind, TensorRole role, char dimension, Parallel mode, const Hardware& hardware) {
    const StrategyRow* row = table.find(kind, role, dimension, mode);
    return row == nullptr ? "none"
                          : to_text(row->on(hardware).store) + " " +
                                std::string(name_of(row->on(hardware).swap.value_or(Swap::kNo)));
  };
  using enum TensorRole;
  EXPECT_EQ(exchange(OpKind::kConv, kInputWeight, 'N', Parallel::kModel, cache), "cluster no");
  EXPECT_EQ(exchange(OpKind::kConv, kInputNeuron, 'N', Parallel::kData, cache), "mem no");
  EXPECT_EQ(exchange(OpKind::kConv, kInputNeuron, 'H', Parallel::kModel, cache), "cluster cluster");
  EXPECT_EQ(exchange(OpKind::kConv, kInputNeuron, 'W', Parallel::kModel, cache), "cluster cluster");
  EXPECT_EQ(exchange(OpKind::kMatMul, kInputNeuron, 'N', Parallel::kData, cache), "mem no");
  EXPECT_EQ(exchange(OpKind::kMatMul, kInputNeuron, 'C', Parallel::kModel, cache), "mem no");
  EXPECT_EQ(exchange(OpKind::kMatMul, kOutputNeuron, 'C', Parallel::kModel, cache), "cluster core");
  EXPECT_EQ(exchange(OpKind::kMatMul, kOutputNeuron, 'C', Parallel::kModel, bus), "mem cluster");
  EXPECT_EQ(exchange(OpKind::kConv, kInputNeuron, 'H', Parallel::kData, cache), "none");
}

Graph square_product() {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 96}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {96, 128}, TensorKind::kConstant);
  add_op(graph, "relu", OpKind::kRelu, {add_op(graph, "product", OpKind::kMatMul, {a, b}, {}, TensorKind::kHidden)});
  return graph;
}

PlanOptions with(const std::string& rows, bool alone, Parallel mode = Parallel::kModel) {
  const StrategyTable given = read_strategies_text("strategies:\n" + rows, "given.yaml");
  PlanOptions options{.fuse = false};
  options.parallel = mode;
  options.strategies = std::make_shared<const StrategyTable>(alone ? given : default_strategies().overridden_by(given));
  return options;
}

TEST(Strategies, RowsOfTheUserStandInPlaceOfTheDefaultOnes) {
  const Plan plan = make_plan(square_product(), chip(),
                              with("  - {operators: [MatMul], tensor: input_neuron, dimensions: [N], "
                                   "modes: [model], pieces: 3, bus: {store: mem, swap: no}}",
                                   false, Parallel::kHybrid));
  EXPECT_EQ(derived_strategies(plan), std::vector<OpKind>{});
  const Plan pieces = make_plan(square_product(), chip(),
                                with("  - {operators: [MatMul], tensor: input_weight, dimensions: [N], "
                                     "pieces: 3, bus: {store: mem, swap: no}}",
                                     false));
  EXPECT_EQ(
      to_text(pieces.operators[0].labels.inputs[1]),
      "dynamic: bfloat16, dim_CN, tiling {1 32}, padding {0:0 0:0}, size 24576, split N[(0,42),(43,85),(86,127)], "
      "mem, no");
  EXPECT_EQ(pieces.operators[0].split.items.size(), 3u);
  expect_values(pieces);
}

TEST(Strategies, WithoutARowTheSplitIsDerivedAndReported) {
  const Plan plan = make_plan(
      square_product(), chip(),
      with("  - {operators: [MatMul], tensor: input_neuron, dimensions: [C], bus: {store: mem, swap: no}}", true));
  EXPECT_EQ(derived_strategies(plan), std::vector<OpKind>{OpKind::kRelu});
  EXPECT_EQ(plan.operators[1].split.items.size(), 16u);
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
