// A factor per channel of a convolution's input goes to the weights where they are the smaller, and only where that
// computes the same.
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

struct Gated {
  Shape x{1, 24, 9, 9}, gate{1, 24, 1, 1};
  std::int64_t outputs = 8, kernel = 1, groups = 1;
  bool gate_first = false, read_twice = false, gate_before = false;
};

// Conv(x * sigmoid(logits)), x being the relu of an input.
Graph gated(const Gated& c) {
  Graph graph;
  const TensorId input = add_tensor(graph, "input", c.x, TensorKind::kInput);
  const TensorId logits = add_tensor(graph, "logits", c.gate, TensorKind::kInput);
  auto gate_of = [&] { return add_op(graph, "gate", OpKind::kSigmoid, {logits}, {}, TensorKind::kHidden); };
  const TensorId before = c.gate_before ? gate_of() : -1;
  const TensorId x = add_op(graph, "x", OpKind::kRelu, {input}, {}, TensorKind::kHidden);
  const TensorId gate = c.gate_before ? before : gate_of();
  const std::vector<TensorId> operands = c.gate_first ? std::vector{gate, x} : std::vector{x, gate};
  const TensorId product = add_op(graph, "product", OpKind::kMul, operands, {}, TensorKind::kHidden);
  const Shape weights{c.outputs, c.x[1] / c.groups, c.kernel, c.kernel};
  const TensorId w = add_tensor(graph, "w", weights, TensorKind::kConstant);
  const std::int64_t pad = c.kernel / 2;
  add_op(graph, "conv", OpKind::kConv, {product, w}, {.pads = {pad, pad, pad, pad}, .groups = c.groups});
  if (c.read_twice) add_op(graph, "again", OpKind::kNeg, {product});
  return graph;
}

// What the product is over, after all passes; the program's values are right.
Shape scaled_shape(const Gated& c, const PlanOptions& options = {}) {
  const Plan plan = make_plan(gated(c), chip(), options);
  expect_values(plan);
  for (const Operator& op : plan.graph.operators())
    if (op.name == "product") return plan.graph.tensor(op.output).shape;
  return {};
}

TEST(ScaledWeights, TakeTheFactorWhereTheyAreSmaller) {
  for (const bool gate_first : {false, true}) EXPECT_EQ(scaled_shape({.gate_first = gate_first}), (Shape{8, 24, 1, 1}));
  EXPECT_EQ(scaled_shape({.x = {3, 24, 9, 9}, .gate = {24, 1, 1}}), (Shape{8, 24, 1, 1}));
  EXPECT_EQ(scaled_shape({.outputs = 4, .kernel = 3}), (Shape{4, 24, 3, 3}));
  EXPECT_EQ(scaled_shape({.outputs = 80}), (Shape{80, 24, 1, 1}));
}

TEST(ScaledWeights, AsManyAreLeftAlone) { EXPECT_EQ(scaled_shape({.outputs = 81}), (Shape{1, 24, 9, 9})); }

TEST(ScaledWeights, WhatIsReadElsewhereOrDiffersByImageIsScaledItself) {
  const Shape x{1, 24, 9, 9}, images{3, 24, 9, 9};
  EXPECT_EQ(scaled_shape({.read_twice = true}), x);
  EXPECT_EQ(scaled_shape({.x = images, .gate = {3, 24, 1, 1}}), images);
  EXPECT_EQ(scaled_shape({.gate = {1, 24, 9, 1}}), x);
  EXPECT_EQ(scaled_shape({.gate = {1, 1, 1, 1}}), x);
  EXPECT_EQ(scaled_shape({.groups = 2}), x);
}

// The operator that makes x can apply it at no cost.
TEST(ScaledWeights, AFactorThatStandsFirstStays) {
  EXPECT_EQ(scaled_shape({.gate_before = true}), (Shape{1, 24, 9, 9}));
}

TEST(ScaledWeights, NothingMovesUnfused) { EXPECT_EQ(scaled_shape({}, {.fuse = false}), (Shape{1, 24, 9, 9})); }

}  // namespace
}  // namespace tilewright::test
