// Shapes by their sizes: text form, faults, graphs made of them and shapes read off graphs.
#include "planner/graph/operator_shape.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_operator_shape(text, "shapes.txt:3");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(OperatorShape, TextRoundTrips) {
  for (const char* text :
       {"matmul 1_384_1024_1024 bf16", "matmul 16_384_384_64 fp16 tb dynamic", "conv 12_56_56_64_256_1_1_1 bf16",
        "conv 1_112_112_32_32_3_3_2 int8 pad=0 dilation=2 groups=32",
        "conv 1_112_112_32_32_3_3_2 int8 pad=0_0_1_1 stride_w=1 dilation=2_1"})
    EXPECT_EQ(to_string(parse_operator_shape(text, "")), text);
}

TEST(OperatorShape, FaultsAreNamed) {
  EXPECT_EQ(error_of("matmul 1_2_3 bf16"), "shapes.txt:3: 3 sizes for a matmul, expected 4 (B,M,N,K)");
  EXPECT_EQ(error_of("matmul 1_0_3_4 bf16"), "shapes.txt:3: M is 0, expected 1 to 2^31");
  EXPECT_EQ(error_of("matmul 1_x_3_4 bf16"), "shapes.txt:3: got 'x', expected a whole number");
  EXPECT_EQ(error_of("matmul 1_2_3_4 fp64"), "shapes.txt:3: got 'fp64', expected an element type");
  EXPECT_EQ(error_of("matmul 1_2_3_4 bf16 pad=1"), "shapes.txt:3: got 'pad=1', expected ta|tb|dynamic|+EPILOGUE");
  for (const char* word : {"+Softmax", "+Add", "+Relu=channel", "+Add=row", "+Transpose", "+"})
    EXPECT_EQ(
        error_of(std::string("matmul 1_2_3_4 bf16 ") + word),
        std::string("shapes.txt:3: got '") + word +
            "', expected what is applied to the result: an activation, e.g. '+Relu', or an operator of two inputs "
            "and its other operand, e.g. '+Add=channel' (scalar|channel|constant|element)");
  EXPECT_EQ(error_of("conv 1_4_4_6_8_3_3_1 bf16 groups=4"),
            "shapes.txt:3: 4 groups do not divide the 6 channels and 8 filters");
  EXPECT_EQ(error_of("conv 1_2_9_6_8_3_3_1 bf16 pad=0"),
            "shapes.txt:3: a kernel of 3 does not fit an input of 2, padding included");
  EXPECT_EQ(error_of("conv 1_9_1_6_8_3_3_1 bf16 pad=1_0_1_1"),
            "shapes.txt:3: a kernel of 3 does not fit an input of 2, padding included");
  EXPECT_EQ(error_of("conv 1_9_9_6_8_3_3_1 bf16 pad=1_2"), "shapes.txt:3: got '1_2', expected one number or 4");
  EXPECT_EQ(error_of("conv 1_9_9_6_8_3_3_1 bf16 dilation=1_2_3"),
            "shapes.txt:3: got '1_2_3', expected one number or 2");
  for (const char* word : {"stride_w=0", "dilation=1_0", "dilation=4611686018427387904", "pad=0_0_0_2147483649"})
    EXPECT_EQ(error_of(std::string("conv 1_9_9_6_8_3_3_1 bf16 ") + word),
              "shapes.txt:3: a stride or dilation is 1 to 2^31 and a pad 0 to 2^31");
  EXPECT_EQ(error_of("conv 1_9_9_6_8_3_3_1 bf16 ta"),
            "shapes.txt:3: got 'ta', expected pad=N|stride_w=N|dilation=N|groups=N|factors|+EPILOGUE");
  EXPECT_EQ(error_of("pool 1_2"), "shapes.txt:3: got 'pool 1_2', expected e.g. 'matmul 1_384_1024_1024 bf16'");
}

TEST(OperatorShape, GraphAndBack) {
  for (const char* text :
       {"matmul 1_384_1024_512 bf16", "matmul 16_384_128_64 fp16 tb dynamic", "matmul 3_4_5_6 fp32 ta",
        "conv 12_56_56_64_256_1_1_1 bf16", "conv 2_20_22_8_16_5_3_2 bf16 pad=1 dilation=2 groups=4",
        "conv 2_20_22_8_16_5_3_2 bf16 pad=1_0_2_3 stride_w=1 dilation=1_2",
        "matmul 4_8_16_32 bf16 dynamic +Mul=scalar +Add=element", "matmul 1_384_1024_512 bf16 +Add=channel +Gelu",
        "conv 1_8_8_16_24_3_3_1 bf16 +Add=channel +Add=constant +Clip"}) {
    const OperatorShape shape = parse_operator_shape(text, "");
    const auto again = shape_of(graph_of(shape), 0, shape.type);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(to_string(*again), text);
  }
}

TEST(OperatorShape, NamesWhatIsFusedOrLeavesItOut) {
  const auto shape_with = [](const Epilogue& epilogue, const Shape& operand) {
    Graph graph;
    const TensorId a = graph.add_tensor({.name = "a", .shape = {2, 8, 64}, .kind = TensorKind::kInput});
    const TensorId b = graph.add_tensor({.name = "b", .shape = {2, 64, 32}, .kind = TensorKind::kInput});
    const TensorId c = graph.add_tensor({.name = "c", .shape = operand, .kind = TensorKind::kInput});
    const TensorId d = graph.add_tensor({.name = "d", .shape = {2, 8, 32}, .kind = TensorKind::kOutput});
    Operator op{.name = "product", .kind = OpKind::kMatMul, .inputs = {a, b}, .output = d, .epilogues = {epilogue}};
    if (op.epilogues[0].operand) op.epilogues[0].operand = c;
    graph.add_operator(std::move(op));
    return to_string(*shape_of(graph, 0, DataType::kBf16));
  };
  EXPECT_EQ(shape_with({OpKind::kAdd, 0, {}}, {2, 8, 32}), "matmul 2_8_32_64 bf16 dynamic +Add=element");
  EXPECT_EQ(shape_with({OpKind::kAdd, 0, {}}, {8, 32}), "matmul 2_8_32_64 bf16 dynamic");  // broadcast
  EXPECT_EQ(shape_with({OpKind::kClip, {}, {.clip_low = 0, .clip_high = 6}}, {1}),
            "matmul 2_8_32_64 bf16 dynamic +Clip");
  EXPECT_EQ(shape_with({OpKind::kRelu, {}, {.levels = {{}}}}, {1}), "matmul 2_8_32_64 bf16 dynamic");
}

// As batch normalisation leaves it: one value per channel as [C, 1, 1], renamed.
TEST(OperatorShape, NamesARenamedConstantOfTheChannels) {
  Graph graph;
  const TensorId x = graph.add_tensor({.name = "x", .shape = {1, 8, 6, 6}, .kind = TensorKind::kInput});
  const TensorId w = graph.add_tensor({.name = "w", .shape = {16, 8, 1, 1}, .kind = TensorKind::kConstant});
  const TensorId scale = graph.add_tensor({.name = "s", .shape = {16, 1, 1}, .kind = TensorKind::kConstant});
  const TensorId vector = graph.add_tensor({.name = "v", .shape = {16}, .kind = TensorKind::kHidden});
  const TensorId y = graph.add_tensor({.name = "y", .shape = {1, 16, 6, 6}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "renamed", .kind = OpKind::kReshape, .inputs = {scale}, .output = vector});
  Operator conv{.name = "conv", .kind = OpKind::kConv, .inputs = {x, w}, .output = y};
  conv.epilogues = {{OpKind::kMul, vector, {}}, {OpKind::kRelu, {}, {}}};
  graph.add_operator(std::move(conv));
  EXPECT_EQ(to_string(*shape_of(graph, 1, DataType::kBf16)), "conv 1_6_6_8_16_1_1_1 bf16 +Mul=channel +Relu");
}

TEST(OperatorShape, ABatchOnOneWeightMatrixIsMoreRows) {
  Graph graph;
  const TensorId a = graph.add_tensor({.name = "a", .shape = {8, 384, 64}, .kind = TensorKind::kInput});
  const TensorId b = graph.add_tensor({.name = "b", .shape = {64, 32}, .kind = TensorKind::kConstant});
  const TensorId c = graph.add_tensor({.name = "c", .shape = {8, 384, 32}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {a, b}, .output = c});
  EXPECT_EQ(to_string(*shape_of(graph, 0, DataType::kBf16)), "matmul 1_3072_32_64 bf16");
}

TEST(OperatorShape, MacsByHand) {
  EXPECT_EQ(macs_of(parse_operator_shape("matmul 2_3_4_5 bf16", "")), 120);
  // 4 x 4 output of a 3 x 3 kernel at stride 2 on 8 x 8.
  EXPECT_EQ(macs_of(parse_operator_shape("conv 1_8_8_6_10_3_3_2 bf16 groups=2", "")), 16 * 10 * 3 * 9);
  // 3 rows of 8 + 0 + 0 at stride 2, 7 columns of 8 + 0 + 1 at stride 1.
  EXPECT_EQ(macs_of(parse_operator_shape("conv 1_8_8_6_10_3_3_2 bf16 pad=0_0_0_1 stride_w=1", "")), 3 * 7 * 10 * 6 * 9);
}

}  // namespace
}  // namespace tilewright
