// Heads of queries that share keys and values: what exporters repeat is read once, and only what repeats in front
// of the matrices of a product.
#include "tests/support/heads_graph.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// Operators that copy what they repeat.
std::int64_t copies(const Plan& plan) {
  return std::ranges::count_if(plan.graph.operators(), [](const Operator& op) {
    return op.kind == OpKind::kGather || op.kind == OpKind::kConcat;
  });
}

// Its values are right, apart and together, and as many operators copy as expected; the shape of the scores.
Shape planned_scores(const SharedHeads& heads, std::int64_t expected_copies = 0, const char* file = "quad_smp.yaml") {
  const Graph graph = HeadsGraph(heads).build();
  const Plan apart = make_plan(graph, chip({.file = file}), {});
  expect_values(apart);
  EXPECT_EQ(copies(apart), expected_copies);
  const Plan plan = make_plan(graph, chip({.file = file}), attention_group());
  EXPECT_EQ(plan.groups.size(), 1u);
  expect_values(plan);
  return plan.graph.tensor(plan.graph.op(*plan.graph.find_operator("scores")).output).shape;
}

TEST(SharedOperands, AreReadOnceHoweverTheyAreRepeated) {
  for (const Repeat repeat : {Repeat::kExpanded, Repeat::kGathered, Repeat::kTiled, Repeat::kBroadcast}) {
    SCOPED_TRACE(static_cast<int>(repeat));
    for (const char* file : {"quad_smp.yaml", "edge_single.yaml", "quad_numa_cache.yaml"})
      EXPECT_EQ(planned_scores({.repeat = repeat}, 0, file), (Shape{2, 15, 11}));
    EXPECT_EQ(planned_scores({.repeat = repeat, .batch = 4, .queries = 1}), (Shape{8, 3, 11}));
  }
  EXPECT_EQ(planned_scores({.scaled = true}), (Shape{2, 15, 11}));
}

TEST(SharedOperands, OfOneMatrixAreThoseOfOneProduct) {
  for (const Repeat repeat : {Repeat::kExpanded, Repeat::kGathered, Repeat::kTiled, Repeat::kBroadcast})
    EXPECT_EQ(planned_scores({.repeat = repeat, .keys_of = 1, .group = 4}), (Shape{20, 11}));
}

// What is added to the scores of every head, or of every sequence, decides whether rows of heads can be rows of one
// product.
TEST(SharedOperands, MeetTheMaskOfTheirHead) {
  for (const Repeat repeat : {Repeat::kExpanded, Repeat::kBroadcast}) {
    const bool broadcast = repeat == Repeat::kBroadcast;
    const auto with = [&](Shape mask, SharedHeads heads = {}) {
      heads.repeat = repeat;
      if (broadcast && mask.size() == 4) mask.insert(mask.begin() + 1, 1);
      heads.mask = std::move(mask);
      return planned_scores(heads);
    };
    EXPECT_EQ(with({1, 1, 1, 11}), (Shape{2, 15, 11}));
    EXPECT_EQ(with({1, 1, 5, 11}), (Shape{2, 3, 5, 11}));
    EXPECT_EQ(with({5, 11}, {.known_mask = true}), (Shape{2, 3, 5, 11}));
    EXPECT_EQ(with({4, 1, 1, 11}, {.batch = 4, .queries = 1}), (Shape{4, 2, 3, 11}));
    EXPECT_EQ(with({4, 1, 5, 11}, {.batch = 4}), (Shape{4, 2, 3, 5, 11}));
    EXPECT_EQ(with({5, 11}, {.keys_of = 1}), (Shape{3, 5, 11}));
  }
  EXPECT_EQ(planned_scores({.mask = {1, 6, 5, 11}}), (Shape{2, 15, 11}));
}

// A group's cores read a matrix once for all heads that share it.
TEST(SharedOperands, AreLoadedOnceByAGroup) {
  for (const Shape& mask : {Shape{}, Shape{5, 11}}) {
    const Plan plan =
        make_plan(HeadsGraph({.mask = mask}).build(), chip({.file = "edge_single.yaml"}), attention_group());
    std::int64_t loaded = 0;
    for (const Instruction& instruction : plan.program.cores[0].instructions)
      if (const auto* load = std::get_if<Transfer>(&instruction.payload); load && load->kind == TransferKind::kLoad)
        loaded += product_of({load->shape.begin(), load->shape.end()});
    const std::int64_t queries = 6 * 5 * 8, keys_and_values = 2 * 2 * 11 * 8;
    EXPECT_EQ(loaded, queries + keys_and_values + (mask.empty() ? 0 : element_count(mask)));
  }
}

TEST(SharedOperands, WhatIsReadElsewhereIsCopied) {
  for (const Repeat repeat : {Repeat::kExpanded, Repeat::kGathered})
    EXPECT_EQ(planned_scores({.repeat = repeat, .read_elsewhere = true}, 2), (Shape{6, 5, 11}));
}

// Every second head, or each head's tokens: no repetition in front of the matrices.
TEST(SharedOperands, OtherRepetitionsAreCopied) {
  for (const auto& [axis, indices] :
       std::map<std::int64_t, std::vector<double>>{{0, {0, 1, 0, 1}}, {1, {0, 0, 1, 1}}}) {
    Graph graph;
    const TensorId a = add_tensor(graph, "a", {axis == 0 ? 4 : 2, 5, axis == 0 ? 2 : 4}, TensorKind::kInput);
    const TensorId b = add_tensor(graph, "b", {2, 2, 6}, TensorKind::kInput);
    const TensorId rows = graph.add_tensor(
        {.name = "rows", .shape = {4}, .kind = TensorKind::kConstant, .is_index = true, .data = indices});
    const TensorId repeated =
        add_op(graph, "repeated", OpKind::kGather, {b, rows}, {.axis = axis}, TensorKind::kHidden);
    add_op(graph, "product", OpKind::kMatMul, {a, repeated});
    const Plan plan = make_plan(graph, chip(), {});
    expect_values(plan);
    EXPECT_EQ(copies(plan), 1);
  }
}

}  // namespace
}  // namespace tilewright::test
