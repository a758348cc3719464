#include "planner/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/planner/graph/graph_builder.h"

namespace tilewright {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pointwise;

const Literal kSix{{2, 3}, {1, 2, 3, 4, 5, 6}};

TEST(Reference, MatMul) {
  EXPECT_THAT(compute(OpKind::kMatMul, {kSix, {{3, 2}, {1, 0, 0, 1, 1, 1}}}).values, ElementsAre(4, 5, 10, 11));
}

TEST(Reference, MatMulTransposedWithScaledBias) {
  const Attributes gemm{.transpose_a = true, .transpose_b = true, .alpha = 2, .beta = 3};
  // A' = [[1,4],[2,5],[3,6]], B' = [[1],[1]].
  EXPECT_THAT(compute(OpKind::kMatMul, {kSix, {{1, 2}, {1, 1}}, {{1}, {10}}}, gemm).values, ElementsAre(40, 44, 48));
}

TEST(Reference, MatMulBroadcastsBatches) {
  const Literal a{{2, 1, 2}, {1, 2, 3, 4}}, b{{2, 1}, {10, 1}};
  EXPECT_THAT(compute(OpKind::kMatMul, {a, b}).values, ElementsAre(12, 34));
}

TEST(Reference, MatMulAgreesWithTheDefinitionAtAwkwardSizes) {
  const std::int64_t m = 7, n = 19, k = 13;
  Literal a{{m, k}, {}}, b{{k, n}, {}};
  for (int i = 0; i < m * k; ++i) a.values.push_back(i % 11 - 5);
  for (int i = 0; i < k * n; ++i) b.values.push_back(i % 7 - 3);
  const TensorValues c = compute(OpKind::kMatMul, {a, b}).values;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += a.values[i * k + p] * b.values[p * n + j];
      EXPECT_EQ(c[i * n + j], sum);
    }
}

TEST(Reference, ConvolutionWithPaddingStrideAndBias) {
  const Literal x{{1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}, ones{{1, 1, 3, 3}, TensorValues(9, 1.0)};
  const Attributes same{.pads = {1, 1, 1, 1}}, strided{.strides = {2, 2}, .pads = {1, 1, 1, 1}};
  EXPECT_THAT(compute(OpKind::kConv, {x, ones}, same).values, ElementsAre(12, 21, 16, 27, 45, 33, 24, 39, 28));
  EXPECT_THAT(compute(OpKind::kConv, {x, ones, {{1}, {100}}}, strided).values, ElementsAre(112, 116, 124, 128));
}

TEST(Reference, ConvolutionDilatedAndGrouped) {
  const Literal x{{1, 2, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90}};
  const Literal w{{2, 1, 2, 2}, {1, 1, 1, 1, 1, 0, 0, 1}};
  const Literal y = compute(OpKind::kConv, {x, w}, {.dilations = {2, 2}, .groups = 2});
  EXPECT_THAT(y.values, ElementsAre(1 + 3 + 7 + 9, 10 + 90));
}

TEST(Reference, BinaryOperatorsBroadcast) {
  const Literal column{{2, 1}, {10, 20}};
  EXPECT_THAT(compute(OpKind::kAdd, {kSix, column}).values, ElementsAre(11, 12, 13, 24, 25, 26));
  EXPECT_THAT(compute(OpKind::kSub, {column, kSix}).values, ElementsAre(9, 8, 7, 16, 15, 14));
  EXPECT_THAT(compute(OpKind::kMul, {kSix, {{}, {2}}}).values, ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(compute(OpKind::kDiv, {kSix, {{3}, {1, 2, 3}}}).values, ElementsAre(1, 1, 1, 4, 2.5, 2));
  EXPECT_THAT(compute(OpKind::kPow, {kSix, {{1}, {2}}}).values, ElementsAre(1, 4, 9, 16, 25, 36));
  EXPECT_THAT(compute(OpKind::kMax, {kSix, {{1}, {3}}}).values, ElementsAre(3, 3, 3, 4, 5, 6));
  EXPECT_THAT(compute(OpKind::kMin, {{{1}, {3}}, kSix}).values, ElementsAre(1, 2, 3, 3, 3, 3));
}

double one(OpKind kind, double x, Attributes attributes = {}) {
  return compute(kind, {{{1}, {x}}}, std::move(attributes)).values.at(0);
}

TEST(Reference, Activations) {
  EXPECT_EQ(one(OpKind::kRelu, -2), 0);
  EXPECT_EQ(one(OpKind::kRelu, 2), 2);
  EXPECT_NEAR(one(OpKind::kGelu, 1), 0.8413447460685429, 1e-12);
  EXPECT_NEAR(one(OpKind::kGeluTanh, 1), 0.8411919906082768, 1e-12);
  EXPECT_NEAR(one(OpKind::kAtan, 1), 0.7853981633974483, 1e-12);
  EXPECT_NEAR(one(OpKind::kErf, 0.5), 0.5204998778130465, 1e-12);
  EXPECT_NEAR(one(OpKind::kTanh, 0.5), 0.46211715726000973, 1e-12);
  EXPECT_EQ(one(OpKind::kSigmoid, 0), 0.5);
  EXPECT_EQ(one(OpKind::kSqrt, 9), 3);
  EXPECT_NEAR(one(OpKind::kExp, 1), 2.718281828459045, 1e-12);
  EXPECT_EQ(one(OpKind::kClip, 9, {.clip_low = 0, .clip_high = 6}), 6);
  EXPECT_EQ(one(OpKind::kClip, -9, {.clip_low = 0}), 0);
  EXPECT_EQ(one(OpKind::kNeg, 4), -4);
  EXPECT_EQ(one(OpKind::kReciprocal, 4), 0.25);
  EXPECT_EQ(one(OpKind::kCast, 4), 4);
  EXPECT_EQ(one(OpKind::kIdentity, 4), 4);
}

TEST(Reference, SoftmaxOverEitherAxis) {
  const Literal x{{2, 2}, {0, std::log(3), 0, 0}};
  EXPECT_THAT(compute(OpKind::kSoftmax, {x}, {.axis = 1}).values,
              Pointwise(DoubleNear(1e-12), std::vector{0.25, 0.75, 0.5, 0.5}));
  EXPECT_THAT(compute(OpKind::kSoftmax, {x}, {.axis = 0}).values,
              Pointwise(DoubleNear(1e-12), std::vector{0.5, 0.75, 0.5, 0.25}));
  EXPECT_THAT(compute(OpKind::kSoftmax, {{{2}, {1e4, 1e4}}}).values, ElementsAre(0.5, 0.5));
}

TEST(Reference, LayerNorm) {
  const Literal x{{2, 2}, {1, 3, 10, 30}}, scale{{2}, {1, 2}}, bias{{2}, {0, 5}};
  EXPECT_THAT(compute(OpKind::kLayerNorm, {x, scale, bias}, {.axis = 1, .epsilon = 0}).values,
              ElementsAre(-1, 7, -1, 7));
}

TEST(Reference, BatchNorm) {
  const Literal x{{1, 2, 1, 2}, {1, 2, 3, 4}};
  const Literal y =
      compute(OpKind::kBatchNorm, {x, {{2}, {2, 3}}, {{2}, {1, 0}}, {{2}, {1, 4}}, {{2}, {4, 1}}}, {.epsilon = 0});
  EXPECT_THAT(y.values, ElementsAre(1, 2, -3, 0));
}

TEST(Reference, Pools) {
  const Literal x{{1, 1, 2, 2}, {1, 2, 3, -8}};
  const Attributes padded{.window = {2, 2}, .strides = {2, 2}, .pads = {1, 1, 1, 1}};
  EXPECT_THAT(compute(OpKind::kMaxPool, {x}, padded).values, ElementsAre(1, 2, 3, -8));
  EXPECT_THAT(compute(OpKind::kAveragePool, {x}, padded).values, ElementsAre(1, 2, 3, -8));
  Attributes counted = padded;
  counted.count_include_pad = true;
  EXPECT_THAT(compute(OpKind::kAveragePool, {x}, counted).values, ElementsAre(0.25, 0.5, 0.75, -2));
  EXPECT_THAT(compute(OpKind::kAveragePool, {x}, {.window = {2, 2}}).values, ElementsAre(-0.5));
}

TEST(Reference, ReduceMean) {
  EXPECT_THAT(compute(OpKind::kReduceMean, {kSix}, {.axes = {1}}).values, ElementsAre(2, 5));
  EXPECT_THAT(compute(OpKind::kReduceMean, {kSix}, {.axes = {0}, .keepdims = false}).values,
              ElementsAre(2.5, 3.5, 4.5));
}

TEST(Reference, Moves) {
  EXPECT_THAT(compute(OpKind::kTranspose, {kSix}, {.permutation = {1, 0}}).values, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(compute(OpKind::kReshape, {kSix}, {}, {3, 2}).values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(compute(OpKind::kConcat, {kSix, {{2, 1}, {7, 8}}}, {.axis = 1}).values,
              ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
  EXPECT_THAT(compute(OpKind::kSlice, {kSix}, {.axes = {1}, .starts = {0}, .ends = {3}, .steps = {2}}).values,
              ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(compute(OpKind::kGather, {kSix, {{2}, {2, -3}}}, {.axis = 1}).values, ElementsAre(3, 1, 6, 4));
}

TEST(Reference, EpiloguesFollowInOrder) {
  Graph graph;
  const TensorId a = add_input(graph, "a", {1, 2}), b = add_input(graph, "b", {2, 2}),
                 bias = add_input(graph, "bias", {2});
  Operator op{.name = "op", .kind = OpKind::kMatMul, .inputs = {a, b}};
  op.epilogues = {{.kind = OpKind::kAdd, .operand = bias}, {.kind = OpKind::kRelu}};
  const TensorValues va{1, 2}, vb{1, 0, 0, 1}, vbias{-5, 5};
  EXPECT_THAT(compute_reference(graph, op, {&va, &vb}, {&vbias, nullptr}), ElementsAre(0, 7));
}

TEST(InitialValues, AreReproducibleAndDependOnNameAndSeed) {
  Graph graph;
  const TensorId a = add_input(graph, "a", {64}), b = add_input(graph, "b", {64});
  EXPECT_EQ(initial_values(graph, a, DataType::kBf16, 1), initial_values(graph, a, DataType::kBf16, 1));
  EXPECT_NE(initial_values(graph, a, DataType::kBf16, 1), initial_values(graph, a, DataType::kBf16, 2));
  EXPECT_NE(initial_values(graph, a, DataType::kBf16, 1), initial_values(graph, b, DataType::kBf16, 1));
  EXPECT_THAT(initial_values(graph, a, DataType::kFp16, 1),
              Each(::testing::AllOf(::testing::Ge(-1), ::testing::Le(1))));
}

TEST(InitialValues, FollowTheUseOfTheTensor) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {4, 300}), table = add_input(graph, "table", {10, 4});
  const TensorId w = add_input(graph, "w", {8, 300}, TensorKind::kConstant);
  const TensorId ids = graph.add_tensor({.name = "ids", .shape = {50}, .kind = TensorKind::kInput, .is_index = true});
  const TensorId turned = add_op(graph, "turn", OpKind::kTranspose, {w}, {.permutation = {1, 0}});
  add_op(graph, "product", OpKind::kMatMul, {x, turned});
  add_op(graph, "lookup", OpKind::kGather, {table, ids});
  EXPECT_THAT(initial_values(graph, w, DataType::kFp32, 3),
              Each(::testing::AllOf(::testing::Ge(-0.1001), ::testing::Le(0.1001))));
  for (const double id : initial_values(graph, ids, DataType::kFp32, 3)) {
    EXPECT_EQ(id, std::floor(id));
    EXPECT_TRUE(id >= 0 && id < 10) << id;
  }
}

}  // namespace
}  // namespace tilewright
