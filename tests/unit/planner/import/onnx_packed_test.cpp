// Models whose weights alone are quantised: stored as they are, and what they compute.
#include <gmock/gmock.h>

#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kOnnxFloat = 1, kOnnxUint8 = 2, kOnnxInt8 = 3, kOnnxUint4 = 21, kOnnxInt4 = 22;

std::string values(const std::string& name, int type, const Shape& dims, const std::vector<double>& numbers) {
  std::string text = fmt::format("initializer {{ name: '{}' data_type: {} ", name, type);
  for (const std::int64_t dim : dims) text += fmt::format("dims: {} ", dim);
  for (const double number : numbers)
    text += type == kOnnxFloat ? fmt::format("float_data: {} ", number) : fmt::format("int32_data: {} ", number);
  return text + "} ";
}

std::string one_node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                     const std::vector<std::pair<std::string, std::int64_t>>& integers = {},
                     const std::string& domain = "") {
  std::string text = fmt::format("node {{ op_type: '{}' output: '{}' domain: '{}' ", type, output, domain);
  for (const std::string& input : inputs) text += fmt::format("input: '{}' ", input);
  for (const auto& [name, value] : integers)
    text += fmt::format("attribute {{ name: '{}' type: INT i: {} }} ", name, value);
  return text + "} ";
}

Graph weights_only(const std::string& body, const Shape& x) {
  return import_model_text("ir_version: 8 opset_import { version: 21 } graph { name: 'w' output { name: 'y' } " +
                           input_text("x", x) + body + "}");
}

std::vector<double> products_of(const Graph& graph, const std::vector<double>& x) {
  return values_of(graph, {{"x", x}});
}

const Operator* packed_in(const Graph& graph) {
  for (const Operator& op : graph.operators())
    if (op.kind == OpKind::kMatMulNBits) return &op;
  return nullptr;
}

std::string refusal(const std::string& body, const Shape& x) {
  try {
    weights_only(body, x);
  } catch (const UserError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(OnnxPacked, WeightsOfColumnsStayInt8) {
  const Graph graph = weights_only(
      values("w", kOnnxInt8, {2, 3}, {1, 2, 3, -4, 5, -6}) + values("s", kOnnxFloat, {3}, {0.5, 1, 2}) +
          one_node("DequantizeLinear", {"w", "s"}, "d", {{"axis", 1}}) + one_node("MatMul", {"x", "d"}, "y"),
      {1, 2});
  ASSERT_NE(packed_in(graph), nullptr);
  EXPECT_EQ(packed_in(graph)->attributes.bits, 8);
  EXPECT_EQ(packed_in(graph)->attributes.group_size, 2);
  EXPECT_THAT(products_of(graph, {1, 10}), ElementsAre(-19.5, 52, -114));
}

TEST(OnnxPacked, BlocksOfTransposedUint8WithZeroPointAndBias) {
  // Columns are rows of w, blocks of two along its second dimension.
  const Graph graph = weights_only(
      values("w", kOnnxUint8, {2, 3}, {11, 12, 13, 6, 5, 4}) + values("s", kOnnxFloat, {2, 2}, {1, 2, 3, 4}) +
          values("z", kOnnxUint8, {2, 2}, {10, 10, 10, 10}) + values("b", kOnnxFloat, {2}, {100, 200}) +
          one_node("DequantizeLinear", {"w", "s", "z"}, "d", {{"axis", 1}, {"block_size", 2}}) +
          one_node("Gemm", {"x", "d", "b"}, "y", {{"transB", 1}}),
      {1, 3});
  ASSERT_NE(packed_in(graph), nullptr);
  EXPECT_EQ(packed_in(graph)->attributes.group_size, 2);
  // Weights (1, 2, 6) and (-12, -15, -24).
  EXPECT_THAT(products_of(graph, {1, 1, 1}), ElementsAre(109, 149));
}

TEST(OnnxPacked, FourBitsLieTwoInAByte) {
  // 3 x 2: rows (1, -2), (7, -8), (3, 4), the lower half of a byte first.
  for (const int type : {kOnnxInt4, kOnnxUint4}) {
    const double above = type == kOnnxUint4 ? 8 : 0;
    const auto byte = [&](double low, double high) {
      const auto bits = [&](double number) { return static_cast<int>(number + above) & 15; };
      return static_cast<double>(bits(low) + 16 * bits(high));
    };
    const Graph graph = weights_only(
        values("w", type, {3, 2}, {byte(1, -2), byte(7, -8), byte(3, 4)}) +
            values("s", kOnnxFloat, {2, 2}, {1, 1, 10, 10}) + values("z", type, {2, 2}, {byte(0, 0), byte(0, 0)}) +
            one_node("DequantizeLinear", {"w", "s", "z"}, "d", {{"axis", 0}, {"block_size", 2}}) +
            one_node("MatMul", {"x", "d"}, "y"),
        {2, 3});
    ASSERT_NE(packed_in(graph), nullptr);
    EXPECT_EQ(packed_in(graph)->attributes.bits, 4);
    EXPECT_EQ(element_count(graph.tensor(packed_in(graph)->inputs[1]).shape), 4);
    EXPECT_THAT(products_of(graph, {1, 0, 0, 1, 1, 1}), ElementsAre(1, -2, 38, 30));
  }
}

TEST(OnnxPacked, MatMulNBitsOfOnnxRuntime) {
  // K 5 in blocks of 4: two groups of two bytes for each of two columns; the zero point is 8.
  const std::string body = values("w", kOnnxUint8, {2, 2, 2}, {0x9a, 0xbc, 0x0d, 0x00, 0x76, 0x54, 0x03, 0x00}) +
                           values("s", kOnnxFloat, {4}, {1, 10, 2, 100}) +
                           one_node("MatMulNBits", {"x", "w", "s"}, "y",
                                    {{"K", 5}, {"N", 2}, {"bits", 4}, {"block_size", 4}}, "com.microsoft");
  const Graph graph = weights_only(body, {1, 5});
  ASSERT_NE(packed_in(graph), nullptr);
  // Column 0: 2 1 4 3 | 5 * 10; column 1: 2 * (-2 -1 -4 -3) | -5 * 100.
  EXPECT_THAT(products_of(graph, {1, 1, 1, 1, 1}), ElementsAre(60, -520));
  EXPECT_THAT(products_of(graph, {0, 1, 0, 0, 0}), ElementsAre(1, -2));
}

TEST(OnnxPacked, ModelsThatQuantiseWhatTheyComputeAreNone) {
  const Graph graph = weights_only(
      values("w", kOnnxInt8, {2, 2}, {1, 2, 3, 4}) + values("s", kOnnxFloat, {}, {0.5}) +
          values("z", kOnnxInt8, {}, {0}) + one_node("QuantizeLinear", {"x", "s", "z"}, "q") +
          one_node("DequantizeLinear", {"q", "s", "z"}, "f") + one_node("DequantizeLinear", {"w", "s"}, "d") +
          one_node("MatMul", {"f", "d"}, "m") + one_node("QuantizeLinear", {"m", "s", "z"}, "y"),
      {1, 2});
  EXPECT_EQ(packed_in(graph), nullptr);
}

TEST(OnnxPacked, WhatIsNotSupportedIsNamed) {
  const auto n_bits = [](const std::string& more, const std::vector<std::string>& inputs, std::int64_t bits) {
    return values("w", kOnnxUint8, {2, 1, 2}, {1, 2, 3, 4}) + values("s", kOnnxFloat, {2}, {1, 1}) + more +
           one_node("MatMulNBits", inputs, "y", {{"K", 4}, {"N", 2}, {"bits", bits}, {"block_size", 4}},
                    "com.microsoft");
  };
  const std::string huge = one_node("MatMulNBits", {"x", "x", "x"}, "y",
                                    {{"K", std::int64_t{1} << 40}, {"N", 2}, {"block_size", 4}}, "com.microsoft");
  EXPECT_THAT(refusal(huge, {1, 4}), HasSubstr("K, N and block_size are from 1 to 2^30"));
  EXPECT_THAT(refusal(n_bits("", {"x", "w", "s"}, 3), {1, 4}), HasSubstr("bits 3, expected 4|8"));
  EXPECT_THAT(refusal(n_bits("", {"x", "w", "s"}, 8), {1, 4}), HasSubstr("input 1 has 4 elements, expected 8"));
  EXPECT_THAT(refusal(n_bits(values("z", kOnnxUint8, {2}, {7, 8}), {"x", "w", "s", "z"}, 4), {1, 4}),
              HasSubstr("zero points that differ between groups or columns are not supported"));
  EXPECT_THAT(refusal(values("w", kOnnxInt8, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}) +
                          values("s", kOnnxFloat, {3, 2}, {1, 1, 1, 1, 1, 1}) +
                          one_node("DequantizeLinear", {"w", "s"}, "d", {{"axis", 0}, {"block_size", 2}}) +
                          one_node("MatMul", {"x", "d"}, "y"),
                      {1, 4}),
              HasSubstr("input 1 has shape 3x2, expected 2x2 with blocks of 2"));
}

}  // namespace
}  // namespace tilewright
