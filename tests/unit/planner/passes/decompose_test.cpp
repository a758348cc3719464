// Operators in parts: the rules by kind, and the same values as in one.
#include "planner/passes/decompose/decompose.h"

#include <gmock/gmock.h>

#include <map>

#include "planner/ir/requirement.h"
#include "planner/reference/reference.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Plan decomposed(const Graph& graph, Bytes above) {
  return make_plan(graph, chip(), {.type = DataType::kFp32, .decompose_above = above});
}

// Values of every tensor by a plain computation of the whole graph.
std::map<std::string, TensorValues> evaluate(const Graph& graph) {
  std::vector<TensorValues> values(graph.tensors().size());
  for (TensorId id = 0; id < static_cast<TensorId>(values.size()); ++id)
    if (!graph.tensor(id).producer) values[id] = initial_values(graph, id, DataType::kFp32, 1);
  for (const OperatorId id : graph.topological_order()) {
    const Operator& op = graph.op(id);
    std::vector<const TensorValues*> inputs, operands;
    for (const TensorId input : op.inputs) inputs.push_back(&values[input]);
    for (const Epilogue& e : op.epilogues) operands.push_back(e.operand ? &values[*e.operand] : nullptr);
    values[op.output] = compute_reference(graph, op, inputs, operands);
  }
  std::map<std::string, TensorValues> by_name;
  for (std::size_t id = 0; id < values.size(); ++id)
    by_name[graph.tensor(static_cast<TensorId>(id)).name] = std::move(values[id]);
  return by_name;
}

// The output is the same, the program right, and every part of `name` has `shape`.
void expect_decomposed(const Graph& graph, Bytes above, const std::string& name, const Shape& shape) {
  const Plan plan = decomposed(graph, above);
  int parts = 0;
  for (const Operator& op : plan.graph.operators())
    if (op.name.starts_with(name + ".part") && op.kind != OpKind::kSlice) {
      EXPECT_EQ(plan.graph.tensor(op.output).shape, shape) << op.name;
      EXPECT_LE(data_of(plan, op), above) << op.name;
      ++parts;
    }
  EXPECT_GT(parts, 1);
  expect_values(plan);
  const auto whole = evaluate(graph).at(name + ".out"), joined = evaluate(plan.graph).at(name + ".out");
  ASSERT_EQ(whole.size(), joined.size());
  for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], joined[i], 1e-9);
}

Graph convolution(std::int64_t images) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {images, 8, 12, 12}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {16, 8, 3, 3}, TensorKind::kConstant);
  const TensorId bias = add_tensor(graph, "bias", {16}, TensorKind::kConstant);
  add_op(graph, "conv", OpKind::kConv, {x, w, bias}, {.pads = {1, 1, 1, 1}});
  return graph;
}

TEST(Decompose, ConvolutionsByImagesThenByChannels) {
  // One image: 4,608 bytes in, 9,216 out, weights 4,608, bias 64.
  expect_decomposed(convolution(4), 40'000, "conv", {2, 16, 12, 12});
  expect_decomposed(convolution(1), 12'000, "conv", {1, 8, 12, 12});
}

TEST(Decompose, ProductsByRowsThenByColumns) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 32}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {32, 48}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  expect_decomposed(graph, 17'000, "product", {32, 48});
}

TEST(Decompose, TransposedOperandsAreCutWhereTheyLie) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {32, 64}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {48, 32}, TensorKind::kInput);
  add_op(graph, "product", OpKind::kMatMul, {a, b}, {.transpose_a = true, .transpose_b = true});
  expect_decomposed(graph, 17'000, "product", {32, 48});
}

TEST(Decompose, PoolsByChannelsNotByRows) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 8, 12, 12}, TensorKind::kInput);
  add_op(graph, "pool", OpKind::kMaxPool, {x}, {.window = {3, 3}, .strides = {1, 1}, .pads = {1, 1, 1, 1}});
  expect_decomposed(graph, 5'000, "pool", {1, 4, 12, 12});
}

TEST(Decompose, TranspositionsByWhatStaysInPlace) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 6, 8, 10}, TensorKind::kInput);
  add_op(graph, "transpose", OpKind::kTranspose, {x}, {.permutation = {0, 3, 2, 1}});
  expect_decomposed(graph, 8'000, "transpose", {2, 10, 8, 6});
}

TEST(Decompose, SoftmaxNeverAlongItsAxis) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 8, 32}, TensorKind::kInput);
  add_op(graph, "softmax", OpKind::kSoftmax, {x}, {.axis = 0});
  expect_decomposed(graph, 4'100, "softmax", {4, 4, 32});
}

TEST(Decompose, RepeatedOperandsStayWhole) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {16, 8, 32}, TensorKind::kInput);
  const TensorId row = add_tensor(graph, "row", {8, 1}, TensorKind::kConstant);
  add_op(graph, "sum", OpKind::kAdd, {x, row});
  expect_decomposed(graph, 17'000, "sum", {8, 8, 32});
}

TEST(Decompose, WhatFitsStaysAsItIs) {
  EXPECT_EQ(decomposed(convolution(1), 0).graph.operators().size(), 1u);
  EXPECT_EQ(decomposed(convolution(1), 1 << 20).graph.operators().size(), 1u);
}

}  // namespace
}  // namespace tilewright::test
