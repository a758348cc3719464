// Operators that read the same, computed as one: values are right on every chip, nothing is moved, and what cannot be
// merged is said.
#include "planner/ir/siblings.h"

#include <gmock/gmock.h>

#include "planner/ir/in_place.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::HasSubstr;

TensorId branch(Graph& graph, const std::string& name, TensorId x, std::int64_t channels, std::int64_t window = 1) {
  const Shape shape{channels, graph.tensor(x).shape[1], window, window};
  const TensorId w = add_tensor(graph, name + ".w", shape, TensorKind::kConstant);
  const TensorId bias = add_tensor(graph, name + ".bias", {channels}, TensorKind::kConstant);
  const std::int64_t pad = window / 2;
  const TensorId out =
      add_op(graph, name, OpKind::kConv, {x, w, bias},
             {.strides = {1, 1}, .dilations = {1, 1}, .pads = {pad, pad, pad, pad}}, TensorKind::kHidden);
  return add_op(graph, name + ".relu", OpKind::kRelu, {out}, {}, TensorKind::kHidden);
}

// The branches of an inception block: one is joined to the others as it is, two are read by windows.
Graph inception() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 40, 14, 14}, TensorKind::kInput);
  const TensorId first = branch(graph, "first", x, 24), second = branch(graph, "second", x, 16);
  const TensorId third = branch(graph, "third", x, 8);
  std::vector<TensorId> parts{first, branch(graph, "second.window", second, 32, 3)};
  parts.push_back(branch(graph, "third.window", third, 8, 5));
  const TensorId joined = add_op(graph, "joined", OpKind::kConcat, parts, {.axis = 1}, TensorKind::kHidden);
  add_op(graph, "behind", OpKind::kMaxPool, {joined}, {.window = {2, 2}, .strides = {2, 2}, .pads = {0, 0, 0, 0}});
  return graph;
}

PlanOptions merging(std::vector<std::string> names) {
  return {.groups = GroupChoice{.merged = {{std::move(names), "file:1"}}, .source = "file"}};
}

const std::vector<std::string> kBranches{"first", "second", "third"};

TEST(Siblings, BranchesOfAnInceptionBlockAreOneConvolution) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa.yaml", "quad_numa_cache.yaml"}) {
    SCOPED_TRACE(file);
    const Plan plan = make_plan(inception(), chip({file}), merging(kBranches));
    int convolutions = 0;
    for (const Operator& op : plan.graph.operators()) {
      convolutions += op.kind == OpKind::kConv;
      const bool moves_nothing = op.attributes.in_parts || op.kind == OpKind::kConcat;
      EXPECT_TRUE(!moves_nothing || needs_no_instruction(plan, op)) << op.name;
    }
    EXPECT_EQ(convolutions, 3);
    expect_values(plan);
  }
}

TEST(Siblings, ShareMemoryInTurn) {
  PlanOptions options = merging(kBranches);
  options.share_memory = true;
  expect_values(make_plan(inception(), chip(), options));
}

TEST(Siblings, AreFoundWhereNothingButWeightsDiffers) {
  const Plan plan = make_plan(inception(), chip(), {.groups = GroupChoice{}}, {.stop_after = "fuse"});
  const auto sets = sibling_sets(plan.graph);
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].operators, kBranches);
}

TEST(Siblings, AWholeIsPlannedAgainAsItIs) {
  const Plan plan = make_plan(inception(), chip(), merging(kBranches));
  expect_values(make_plan(plan.graph, plan.hardware, plan.options));
}

TEST(Siblings, AnOrderThatIsGivenLeavesThemApart) {
  const Graph graph = inception();
  const Plan apart = make_plan(graph, chip(), {.merge = false}, {.stop_after = "label"});
  PlanOptions options;
  for (const OperatorId id : apart.order)
    if (!is_alias(apart.graph.op(id).kind)) options.order.push_back(apart.graph.op(id).name);
  const Plan plan = make_plan(graph, chip(), options);
  EXPECT_TRUE(plan.options.groups->merged.empty());
}

std::string refusal_of(std::vector<std::string> names, PlanOptions options = {}) {
  options.groups = merging(std::move(names)).groups;
  try {
    make_plan(inception(), chip(), options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Siblings, WhatCannotBeMergedIsRefused) {
  EXPECT_THAT(refusal_of({"first", "nobody"}), HasSubstr("file:1: merged [first, nobody]: the network, as folded"));
  EXPECT_THAT(refusal_of({"first"}), HasSubstr("one operator is no siblings"));
  EXPECT_THAT(refusal_of({"first", "first"}), HasSubstr("'first' stands twice"));
  EXPECT_THAT(refusal_of({"first", "second.window"}), HasSubstr("do not read the same in the same way"));
  EXPECT_THAT(refusal_of({"first", "behind"}), HasSubstr("'behind' is no product or convolution"));
  EXPECT_THAT(refusal_of({"first", "second"}, {.type = DataType::kInt8}), HasSubstr("int8"));
}

}  // namespace
}  // namespace tilewright::test
