// Labels are what lies in memory and what instructions do: the verifier finds a label that says something else in any
// of its fields, and what can be asked for by a label changes the program.
#include "planner/ir/label_check.h"

#include <gtest/gtest.h>

#include "planner/ir/label_fields.h"
#include "planner/passes/pass.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// The method's example: 1 x 1024 by 1000 x 4, zeros behind, cut along the sum. Then one more product.
Graph padded_products() {
  Graph graph;
  const TensorId i = add_tensor(graph, "I", {1, 1024}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "W", {1000, 4}, TensorKind::kConstant);
  const TensorId v = add_tensor(graph, "V", {4, 64}, TensorKind::kConstant);
  graph.add_operator({.name = "first",
                      .kind = OpKind::kMatMul,
                      .inputs = {i, w},
                      .output = add_tensor(graph, "H", {1, 4}, TensorKind::kHidden),
                      .attributes = {.zero_extend = true}});
  add_op(graph, "O", OpKind::kMatMul, {*graph.find_tensor("H"), v});
  return graph;
}

Plan labelled_plan(const std::string& strategies = {}) {
  PlanOptions options{.type = DataType::kFp16};
  options.parallel = Parallel::kModel;
  if (!strategies.empty())
    options.strategies = std::make_shared<const StrategyTable>(
        default_strategies().overridden_by(read_strategies_text("strategies:\n  - " + strategies + "\n", "test.yaml")));
  return make_plan(padded_products(), chip({"label_example_cache.yaml"}), options);
}

struct LabelChange {
  const char* field;
  std::function<void(DynamicLabel&)> apply;
};

std::vector<LabelChange> label_changes() {
  return {{"type", [](DynamicLabel& label) { label.type = DataType::kBf16; }},
          {"order", [](DynamicLabel& label) { std::swap(label.order[0], label.order[1]); }},
          {"tiling", [](DynamicLabel& label) { label.granule[1] *= 2; }},
          {"padding", [](DynamicLabel& label) { label.padding[1].length += 8; }},
          {"padding value", [](DynamicLabel& label) { label.padding[1].value = 1; }},
          {"size", [](DynamicLabel& label) { label.size += 2; }},
          {"split",
           [](DynamicLabel& label) {
             if (label.split.empty()) label.split = {{label.order[1], {{0, 1}, {1, 2}}}};
             label.split[0].ranges[0].end -= 1, label.split[0].ranges[1].begin -= 1;
           }},
          {"store",
           [](DynamicLabel& label) {
             label.store = {StoreLevel::kCluster, 2};
           }},
          {"swap", [](DynamicLabel& label) { label.swap = label.swap == Swap::kMem ? Swap::kNo : Swap::kMem; }},
          {"reduction", [](DynamicLabel& label) { label.reduction = Reduction::kRing; }}};
}

// Of what is read, of the result between the operators and of the network's own.
TEST(LabelCheck, FindsEveryFieldThatSaysSomethingElse) {
  const Plan plan = labelled_plan();
  ASSERT_NO_THROW(expect_labels_hold(plan));
  for (const char* name : {"I", "W", "H", "O.out"})
    for (const LabelChange& change : label_changes()) {
      const TensorId id = *plan.graph.find_tensor(name);
      // Where a network's own result lies is no choice: its label says where partial results meet.
      if (plan.graph.tensor(id).kind == TensorKind::kOutput && std::string(change.field) == "store") continue;
      Plan changed = plan;
      change.apply(changed.labels[id].dynamic);
      EXPECT_THROW(expect_labels_hold(changed), InternalError) << name << ": " << change.field;
    }
}

// The operator's own label of its result, changed together with the tensor's, against parts, places and signals.
TEST(LabelCheck, ComparesTheLabelsOfOperatorsWithTheirParts) {
  const Plan plan = labelled_plan();
  for (const LabelChange& change : label_changes()) {
    if (std::string(change.field) == "order") continue;  // of a result of one row, no address tells
    Plan changed = plan;
    change.apply(changed.operators[0].labels.output);
    change.apply(changed.labels[changed.graph.op(0).output].dynamic);
    EXPECT_THROW(expect_labels_hold(changed), InternalError) << change.field;
  }
}

// What a user's table can ask for.
TEST(LabelCheck, WhatLabelsAskForChangesTheProgram) {
  const std::string row = "{operators: [MatMul], tensor: output_neuron, dimensions: [C], cache: {store: ";
  const std::uint64_t usual = hash_of(labelled_plan(row + "cluster, swap: core, reduction: clusters}}").program);
  for (const char* other : {"mem, swap: cluster, reduction: clusters}}", "cluster2, swap: core, reduction: clusters}}",
                            "cluster, swap: core, reduction: ring}}", "cluster, swap: core, reduction: scatter}}"}) {
    const Plan plan = labelled_plan(row + other);
    EXPECT_NE(hash_of(plan.program), usual) << other;
    expect_values(plan);
  }
  EXPECT_THROW(labelled_plan(row + "cluster, swap: no}}"), UserError);
}

int barriers_of(const Plan& plan) {
  int barriers = 0;
  for (const Instruction& instruction : plan.program.cores[0].instructions)
    barriers += std::holds_alternative<Barrier>(instruction.payload);
  return barriers;
}

// A row that cores keep to themselves costs no barrier; one that others are said to need does.
TEST(LabelCheck, SwapDecidesOverBarriers) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {64, 64}, TensorKind::kInput);
  const TensorId a = add_op(graph, "a", OpKind::kTanh, {x}, {}, TensorKind::kHidden);
  add_op(graph, "b", OpKind::kSigmoid, {a});
  PlanOptions options;
  const Plan usual = make_plan(graph, chip({"quad_smp.yaml"}), options);
  EXPECT_EQ(usual.labels[a].dynamic.swap, Swap::kNo);
  options.strategies = std::make_shared<const StrategyTable>(default_strategies().overridden_by(read_strategies_text(
      "strategies:\n  - {operators: [Sigmoid], tensor: input_neuron, dimensions: [N, D, T, C], bus: "
      "{store: mem, swap: mem}}\n",
      "test.yaml")));
  const Plan asked = make_plan(graph, chip({"quad_smp.yaml"}), options);
  EXPECT_EQ(asked.labels[a].dynamic.swap, Swap::kMem);
  EXPECT_EQ(barriers_of(asked), barriers_of(usual) + 1);
  expect_values(asked);
}

}  // namespace
}  // namespace tilewright::test
