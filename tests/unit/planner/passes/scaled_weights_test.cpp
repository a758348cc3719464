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

// What the factors scale, after all passes: weights that are scaled on their way, or the result of a product; the
// program's values are right.
Shape scaled_shape(const Gated& c, const PlanOptions& options = {}) {
  const Plan plan = make_plan(gated(c), chip(), options);
  expect_values(plan);
  for (const Operator& op : plan.graph.operators()) {
    if (op.name == "product") return plan.graph.tensor(op.output).shape;
    if (op.attributes.channel_factors) return plan.graph.tensor(op.inputs[1]).shape;
  }
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

// The convolution multiplies its weights as it loads them: no operator of its own, nothing between in memory.
TEST(ScaledWeights, AreScaledOnTheirWay) {
  const Plan plan = make_plan(gated({}), chip(), {});
  EXPECT_FALSE(plan.graph.find_operator("product"));
  const Operator& conv = plan.graph.op(*plan.graph.find_operator("conv"));
  ASSERT_TRUE(conv.attributes.channel_factors);
  EXPECT_EQ(plan.graph.tensor(conv.inputs[1]).kind, TensorKind::kConstant);
  EXPECT_EQ(plan.graph.tensor(conv.inputs[2]).shape, (Shape{1, 24, 1, 1}));
}

// The least of each buffer that holds them, factors included, on one core and with sums cut.
TEST(ScaledWeights, RunInTheLeastBuffersThatHoldThem) {
  expect_least_buffers(gated({.x = {1, 40, 12, 12}, .gate = {1, 40, 1, 1}, .outputs = 20, .kernel = 3}), {});
  const Graph graph = gated({.x = {1, 64, 12, 12}, .gate = {1, 64, 1, 1}, .outputs = 40});
  for (const Bytes bytes : {512, 1024, 2048, 4096})
    for (const char* file : {"quad_smp.yaml", "tpu_v3_core.yaml"})
      for (const DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
        SCOPED_TRACE(testing::Message() << bytes << " bytes, " << file);
        const Plan plan = make_plan(graph, chip({.file = file, .buffer_a = bytes}), {.type = type});
        EXPECT_TRUE(plan.graph.op(*plan.graph.find_operator("conv")).attributes.channel_factors);
        expect_values(plan);
      }
}

// Of a convolution in a group by rows, and of one whose filters stand abreast.
TEST(ScaledWeights, AreScaledInAGroupAndAbreast) {
  Graph graph = gated({.x = {1, 24, 12, 12}, .outputs = 6});
  const TensorId w = add_tensor(graph, "next.w", {5, 6, 3, 3}, TensorKind::kConstant);
  const TensorId between = *graph.find_tensor("conv.out");
  graph.tensor(between).kind = TensorKind::kHidden;
  add_op(graph, "next", OpKind::kConv, {between, w}, {.pads = {1, 1, 1, 1}});
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "tpu_v3_core.yaml"}) {
    SCOPED_TRACE(file);
    PlanOptions options;
    options.groups = GroupChoice{.groups = {{{"conv", "next"}, "here"}}};
    const Plan plan = make_plan(graph, chip({.file = file}), options);
    ASSERT_EQ(plan.groups.size(), 1u);
    expect_values(plan);
    expect_values(make_plan(graph, chip({.file = file}), {}));
  }
}

TEST(ScaledWeights, NothingMovesUnfused) { EXPECT_EQ(scaled_shape({}, {.fuse = false}), (Shape{1, 24, 9, 9})); }

}  // namespace
}  // namespace tilewright::test
