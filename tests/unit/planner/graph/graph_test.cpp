#include "planner/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/unit/planner/graph/graph_builder.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Graph, LinksProducersAndConsumersOnce) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {2, 2});
  const TensorId y = add_op(graph, "square", OpKind::kMul, {x, x});
  EXPECT_THAT(graph.tensor(x).consumers, ElementsAre(0));
  EXPECT_EQ(graph.tensor(y).producer, 0);
  EXPECT_EQ(graph.find_tensor("square.out"), y);
  EXPECT_EQ(graph.find_tensor("absent"), std::nullopt);
}

TEST(Graph, RefusesDuplicateNamesAndTwoProducers) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {4});
  EXPECT_THAT([&] { add_input(graph, "x", {4}); }, ThrowsMessage<UserError>(HasSubstr("defined twice")));
  const TensorId y = add_op(graph, "first", OpKind::kRelu, {x});
  EXPECT_THAT([&] { graph.add_operator({.name = "second", .kind = OpKind::kRelu, .inputs = {x}, .output = y}); },
              ThrowsMessage<UserError>(HasSubstr("'first' and 'second'")));
  EXPECT_THAT([&] { graph.add_operator({.name = "bad", .kind = OpKind::kRelu, .inputs = {y}, .output = x}); },
              ThrowsMessage<UserError>(HasSubstr("input or a constant")));
}

TEST(Graph, TakesAsManyOperatorsAsItIsMadeForAndNoMore) {
  Graph graph;
  TensorId x = add_input(graph, "x", {1});
  for (int i = 0; i < 1 << 18; ++i) x = add_op(graph, std::to_string(i), OpKind::kRelu, {x});
  EXPECT_THAT([&] { add_op(graph, "more", OpKind::kRelu, {x}); },
              ThrowsMessage<UserError>("operator 'more': a graph has at most 262144 operators"));
}

TEST(Graph, RefusesAbsurdShapesAndWrongData) {
  Graph graph;
  EXPECT_THAT([&] { add_input(graph, "a", {1 << 30, 1 << 30, 1 << 30}); }, ThrowsMessage<UserError>(HasSubstr("2^40")));
  EXPECT_THAT([&] { add_input(graph, "a", {3, -1}); }, ThrowsMessage<UserError>(HasSubstr("at least 1")));
  EXPECT_THAT(
      [&] {
        graph.add_tensor({.name = "a", .shape = {3}, .data = std::vector<double>{1, 2}});
      },
      ThrowsMessage<UserError>(HasSubstr("has 2 values")));
}

TEST(TopologicalOrder, KeepsAnOrderThatIsOneAlready) {
  Graph graph;
  TensorId x = add_input(graph, "x", {4});
  for (int i = 0; i < 4; ++i) add_op(graph, "leaf" + std::to_string(i), OpKind::kRelu, {x});
  EXPECT_THAT(graph.topological_order(), ElementsAre(0, 1, 2, 3));
}

TEST(TopologicalOrder, SortsConsumersBehindProducers) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {4});
  const TensorId late = graph.add_tensor({.name = "late", .shape = {4}});
  add_op(graph, "uses_late", OpKind::kRelu, {late});
  graph.add_operator({.name = "makes_late", .kind = OpKind::kNeg, .inputs = {x}, .output = late});
  EXPECT_THAT(graph.topological_order(), ElementsAre(1, 0));
}

TEST(TopologicalOrder, NamesAnOperatorOnTheCycleAndNotOneBehindIt) {
  Graph graph;
  const TensorId a = graph.add_tensor({.name = "a", .shape = {4}});
  const TensorId b = graph.add_tensor({.name = "b", .shape = {4}});
  add_op(graph, "behind", OpKind::kRelu, {b});
  graph.add_operator({.name = "forth", .kind = OpKind::kRelu, .inputs = {a}, .output = b});
  graph.add_operator({.name = "back", .kind = OpKind::kRelu, .inputs = {b}, .output = a});
  EXPECT_THAT([&] { graph.topological_order(); }, ThrowsMessage<UserError>(HasSubstr("'forth' depends on its own")));
}

Shape inferred(OpKind kind, const std::vector<Shape>& inputs, Attributes attributes = {}) {
  Graph graph;
  Operator op{.name = "op", .kind = kind, .attributes = std::move(attributes)};
  for (const Shape& shape : inputs)
    op.inputs.push_back(add_input(graph, to_string(shape) + char('a' + op.inputs.size()), shape));
  return infer_shape(graph, op);
}

TEST(InferShape, MatMulBroadcastsBatchDimensions) {
  EXPECT_THAT(inferred(OpKind::kMatMul, {{16, 384, 64}, {16, 64, 384}}), ElementsAre(16, 384, 384));
  EXPECT_THAT(inferred(OpKind::kMatMul, {{2, 1, 5, 3}, {4, 3, 7}}), ElementsAre(2, 4, 5, 7));
  EXPECT_THAT(inferred(OpKind::kMatMul, {{3, 5}, {7, 3}}, {.transpose_a = true, .transpose_b = true}),
              ElementsAre(5, 7));
  EXPECT_THROW(inferred(OpKind::kMatMul, {{4, 3}, {4, 3}}), UserError);
  EXPECT_THROW(inferred(OpKind::kMatMul, {{4}, {4, 3}}), UserError);
}

TEST(InferShape, ConvolutionFollowsTheWindow) {
  const Attributes resnet_stem{.strides = {2, 2}, .pads = {3, 3, 3, 3}};
  EXPECT_THAT(inferred(OpKind::kConv, {{1, 3, 224, 224}, {64, 3, 7, 7}}, resnet_stem), ElementsAre(1, 64, 112, 112));
  EXPECT_THAT(inferred(OpKind::kConv, {{2, 8, 9, 9}, {16, 1, 3, 3}}, {.dilations = {2, 2}, .groups = 8}),
              ElementsAre(2, 16, 5, 5));
  EXPECT_THROW(inferred(OpKind::kConv, {{1, 3, 2, 2}, {4, 3, 5, 5}}), UserError);
  EXPECT_THROW(inferred(OpKind::kConv, {{1, 3, 8, 8}, {4, 3, 3, 3}}, {.groups = 2}), UserError);
}

TEST(InferShape, PoolRoundsUpOnlyInCeilMode) {
  Attributes attributes{.window = {2, 2}, .strides = {2, 2}};
  EXPECT_THAT(inferred(OpKind::kMaxPool, {{1, 1, 5, 5}}, attributes), ElementsAre(1, 1, 2, 2));
  attributes.ceil_mode = true;
  EXPECT_THAT(inferred(OpKind::kMaxPool, {{1, 1, 5, 5}}, attributes), ElementsAre(1, 1, 3, 3));
}

TEST(InferShape, MovesAndReductions) {
  EXPECT_THAT(inferred(OpKind::kTranspose, {{2, 3, 4}}, {.permutation = {2, 0, 1}}), ElementsAre(4, 2, 3));
  EXPECT_THROW(inferred(OpKind::kTranspose, {{2, 3, 4}}, {.permutation = {0, 0, 1}}), UserError);
  EXPECT_THAT(inferred(OpKind::kConcat, {{2, 3}, {2, 5}}, {.axis = 1}), ElementsAre(2, 8));
  EXPECT_THROW(inferred(OpKind::kConcat, {{2, 3}, {3, 5}}, {.axis = 1}), UserError);
  EXPECT_THAT(inferred(OpKind::kSlice, {{9, 4}}, {.axes = {0}, .starts = {1}, .ends = {8}, .steps = {3}}),
              ElementsAre(3, 4));
  EXPECT_THROW(inferred(OpKind::kSlice, {{9, 4}}, {.axes = {0}, .starts = {1}, .ends = {12}}), UserError);
  EXPECT_THAT(inferred(OpKind::kGather, {{10, 4}, {2, 3}}), ElementsAre(2, 3, 4));
  EXPECT_THAT(inferred(OpKind::kReduceMean, {{2, 3, 4}}, {.axes = {1}, .keepdims = false}), ElementsAre(2, 4));
  EXPECT_THAT(inferred(OpKind::kReduceMean, {{2, 3, 4}}, {.axes = {1, 2}}), ElementsAre(2, 1, 1));
  EXPECT_THAT(inferred(OpKind::kAdd, {{2, 1, 4}, {3, 1}}), ElementsAre(2, 3, 4));
  EXPECT_THROW(inferred(OpKind::kAdd, {{2, 3}, {4}}), UserError);
}

TEST(MacCount, MatMulAndConvolution) {
  Graph graph;
  const TensorId a = add_input(graph, "a", {384, 1024}), b = add_input(graph, "b", {1024, 4096});
  const TensorId x = add_input(graph, "x", {1, 8, 6, 6}), w = add_input(graph, "w", {16, 4, 3, 3});
  EXPECT_EQ(mac_count(graph, {.kind = OpKind::kMatMul, .inputs = {a, b}}), 384LL * 1024 * 4096);
  EXPECT_EQ(mac_count(graph, {.kind = OpKind::kConv, .inputs = {x, w}, .attributes = {.groups = 2}}), 16 * 16 * 4 * 9);
  EXPECT_EQ(mac_count(graph, {.kind = OpKind::kRelu, .inputs = {a}}), 0);
}

TEST(OpKindNames, RoundTrip) {
  for (int kind = 0; kind < kOpKindCount; ++kind)
    EXPECT_EQ(parse_op_kind(name_of(static_cast<OpKind>(kind))), static_cast<OpKind>(kind));
  EXPECT_EQ(parse_op_kind("LSTM"), std::nullopt);
}

}  // namespace
}  // namespace tilewright
