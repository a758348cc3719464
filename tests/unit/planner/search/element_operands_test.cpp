// Residual additions in the convolution before them or by themselves: what stays as it is is run as it was, and the
// network is measured to be faster where formulas would not have put them.
#include "planner/search/tiling/element_operands.h"

#include <gmock/gmock.h>

#include "planner/import/import.h"
#include "planner/measure/measure.h"
#include "planner/search/tiling/plan_network.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Expanded, each channel by itself, projected and added to what came in: block 12 of MobileNetV2 without activations.
Graph inverted_residual() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 96, 14, 14}, TensorKind::kInput);
  const TensorId a = add_tensor(graph, "a", {576, 96, 1, 1}, TensorKind::kConstant);
  const TensorId b = add_tensor(graph, "b", {576, 1, 3, 3}, TensorKind::kConstant);
  const TensorId c = add_tensor(graph, "c", {96, 576, 1, 1}, TensorKind::kConstant);
  const TensorId wide = add_op(graph, "expand", OpKind::kConv, {x, a}, {}, TensorKind::kHidden);
  const TensorId each =
      add_op(graph, "each", OpKind::kConv, {wide, b}, {.pads = {1, 1, 1, 1}, .groups = 576}, TensorKind::kHidden);
  const TensorId narrow = add_op(graph, "project", OpKind::kConv, {each, c}, {}, TensorKind::kHidden);
  add_op(graph, "add", OpKind::kAdd, {narrow, x});
  return graph;
}

Plan planned_with(const PlanOptions& options) {
  return make_plan(inverted_residual(), chip({"quad_numa.yaml"}), options, {.verify = false});
}

TEST(ElementOperands, AreTakenOrNotAndTheRestIsKept) {
  const Plan taken = planned_with({.groups = GroupChoice{}});
  ASSERT_EQ(taken.order.size(), 3u);
  EXPECT_FALSE(with_element_operands(inverted_residual(), taken, true)) << "it is already";

  const auto options = with_element_operands(inverted_residual(), taken, false);
  ASSERT_TRUE(options);
  EXPECT_THAT(options->groups->apart, ElementsAre("project"));
  const Plan apart = planned_with(*options);
  ASSERT_EQ(apart.order.size(), 4u);
  ASSERT_EQ(options->choices.size(), 2u) << "project is another operator now";
  for (const OperatorChoice& choice : options->choices) {
    const OperatorPlan& kept = apart.operators[choice.op];
    EXPECT_EQ(kept.split.items, choice.split.items) << apart.graph.op(choice.op).name;
    EXPECT_EQ(kept.tilings, choice.tilings) << apart.graph.op(choice.op).name;
  }

  EXPECT_FALSE(with_element_operands(inverted_residual(), apart, false)) << "it is already";
  const auto back = with_element_operands(inverted_residual(), apart, true);
  ASSERT_TRUE(back);
  EXPECT_THAT(back->groups->apart, IsEmpty());
}

Cycles measured_with(Session& session, const Graph& graph, GroupChoice groups, PlanOptions options = {}) {
  groups.source = "test";
  options.groups = std::move(groups);
  return measure(session, plan_network(graph, session.hardware(), options)).cycles;
}

// The sum of `project` is cut, and added up by half of the cores. What is added by itself moves few bytes, but cores
// hand it on first.
TEST(ElementOperands, AreTakenWhereHandingOnTakesLonger) {
  Session session(chip({"quad_numa.yaml"}));
  const Graph graph = inverted_residual();
  const Plan chosen = plan_network(graph, session.hardware(), {});
  EXPECT_EQ(chosen.order.size(), 3u);
  GroupChoice apart = *chosen.options.groups;
  apart.apart = {"project"};
  EXPECT_LT(measure(session, chosen).cycles, measured_with(session, graph, apart));
}

// `make_cells.py series_parallel 20 51`. Formulas take all of them into products, which are cut into fewer parts then.
// With copies of the weights that is the faster.
TEST(ElementOperands, AreLeftOutWhereTheNetworkIsFasterSo) {
  Session session(chip({"quad_numa.yaml"}));
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/tests/unit/planner/search/series_parallel_20_51.yaml");
  PlanOptions options;
  options.replicate = false;
  const Plan chosen = plan_network(graph, session.hardware(), options);
  ASSERT_FALSE(chosen.options.groups->apart.empty());
  GroupChoice taken = *chosen.options.groups;
  taken.apart.clear();
  EXPECT_LT(measure(session, chosen).cycles, measured_with(session, graph, taken, options));
}

}  // namespace
}  // namespace tilewright::test
