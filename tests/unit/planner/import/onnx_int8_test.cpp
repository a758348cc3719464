// Quantised models: what is left of them, and what they compute.
#include <gmock/gmock.h>

#include <algorithm>

#include "planner/graph/graph_edit.h"
#include "planner/reference/evaluate.h"
#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string tensor(const std::string& name, int type, const Shape& dims, const std::vector<double>& values) {
  std::string text = fmt::format("initializer {{ name: '{}' data_type: {} ", name, type);
  for (const std::int64_t dim : dims) text += fmt::format("dims: {} ", dim);
  for (const double value : values)
    text += type == 1 ? fmt::format("float_data: {} ", value) : fmt::format("int32_data: {} ", value);
  return text + "} ";
}
constexpr int kFloat = 1, kUint8 = 2, kInt8 = 3, kInt32 = 6;

Graph model(const std::string& body, const ImportOptions& options = {}) {
  return import_model_text(
      "ir_version: 8 opset_import { version: 13 } graph { name: 'q' output { name: 'y' } " + body + "}", options);
}

std::vector<double> result_of(const Graph& graph, const std::vector<double>& x) {
  return evaluate(graph, graph.find_tensor("y").value(),
                  [&](TensorId id) -> std::optional<TensorValues> {
                    const Tensor& one = graph.tensor(id);
                    return one.data || one.name != "x" ? one.data : std::optional(x);
                  })
      .value_or(TensorValues{});
}

std::vector<OpKind> kinds_left(const Graph& graph) {
  std::vector<OpKind> kinds;
  for (const Operator& op : graph.operators())
    if (op.kind != OpKind::kIdentity) kinds.push_back(op.kind);
  return kinds;
}

// x of floats through `nodes`, from DequantizeLinear 'd' to 'r', between levels of scale s, zero point z.
Graph between_levels(const std::string& nodes, const std::string& values, double scale, double zero,
                     const Shape& shape) {
  return model(input_text("x", shape) + tensor("s", kFloat, {}, {scale}) + tensor("z", kUint8, {}, {zero}) + values +
               node("QuantizeLinear", {"x", "s", "z"}, "", {"q"}) +
               node("DequantizeLinear", {"q", "s", "z"}, "", {"d"}) + nodes +
               node("QuantizeLinear", {"r", "s", "z"}, "", {"y"}));
}

TEST(OnnxInt8, Uint8IsHeldAsInt8) {
  const Graph graph = between_levels(node("Identity", {"d"}, "", {"r"}), "", 0.5, 3, {4});
  EXPECT_THAT(kinds_left(graph), ElementsAre(OpKind::kQuantize, OpKind::kAdd));
  // Halves to even before the zero point is added; saturation at 0 and 255.
  EXPECT_THAT(result_of(graph, {0.25, 0.75, -100, 1000}), ElementsAre(3, 5, 0, 255));
}

TEST(OnnxInt8, LimitsThatSaturationHasAreNone) {
  const std::string relu = node("Relu", {"d"}, "", {"r"});
  EXPECT_THAT(kinds_left(between_levels(relu, "", 0.5, 0, {4})), ElementsAre(OpKind::kQuantize, OpKind::kAdd));
  const Graph moved = between_levels(relu, "", 0.5, 3, {4});
  EXPECT_THAT(kinds_left(moved), ElementsAre(OpKind::kQuantize, OpKind::kClip, OpKind::kAdd));
  EXPECT_THAT(result_of(moved, {-1, -0.5, 0, 0.5}), ElementsAre(3, 3, 3, 4));
}

TEST(OnnxInt8, ZeroPointsLeaveTheProductAndFillThePadding) {
  // A row of three with padding: -1 0 1 against weights 2 1 of zero point 0 and scale 1.
  const Graph graph = between_levels(
      node("DequantizeLinear", {"w", "one"}, "", {"wd"}) + node("Conv", {"d", "wd"}, ints("pads", {0, 1, 0, 0}), {"r"}),
      tensor("w", kInt8, {1, 1, 1, 2}, {2, 1}) + tensor("one", kFloat, {}, {1}), 1, 10, {1, 1, 1, 3});
  EXPECT_THAT(kinds_left(graph), ElementsAre(OpKind::kQuantize, OpKind::kConv, OpKind::kRequantize, OpKind::kAdd));
  EXPECT_EQ(graph.op(1).attributes.pad_value, 10 - 128);
  EXPECT_THAT(result_of(graph, {-1, 0, 1}), ElementsAre(9, 8, 11));
}

TEST(OnnxInt8, WeightsAreMovedByTheirZeroPointWhereTheyStayInt8) {
  const auto products = [](double weight) {
    const Graph graph = between_levels(
        node("DequantizeLinear", {"w", "one", "wz"}, "", {"wd"}) + node("MatMul", {"d", "wd"}, "", {"r"}),
        tensor("w", kInt8, {2, 1}, {1, weight}) + tensor("one", kFloat, {}, {1}) + tensor("wz", kInt8, {}, {-27}), 1,
        10, {1, 2});
    EXPECT_THAT(result_of(graph, {1, -1}), ElementsAre(std::max(0.0, 10 + 28 - (weight + 27))));
    return graph.operators().size();
  };
  const std::size_t moved = products(100), left = products(101);
  EXPECT_GT(left, moved);
}

TEST(OnnxInt8, OtherOperatorsStayFloats) {
  const Graph graph = between_levels(node("Sigmoid", {"d"}, "", {"r"}), "", 0.5, 3, {2});
  EXPECT_THAT(kinds_left(graph),
              ElementsAre(OpKind::kQuantize, OpKind::kDequantize, OpKind::kSigmoid, OpKind::kQuantize, OpKind::kAdd));
  EXPECT_THAT(result_of(graph, {0, 100}), ElementsAre(4, 5));
}

TEST(OnnxInt8, OperatorsThatMoveLevelsOfUint8MoveInt8) {
  const Graph graph = model(
      input_text("x", {1, 1, 2, 2}) + tensor("s", kFloat, {}, {0.5}) + tensor("z", kUint8, {}, {3}) +
      node("QuantizeLinear", {"x", "s", "z"}, "", {"q"}) + node("MaxPool", {"q"}, ints("kernel_shape", {2, 1}), {"p"}) +
      node("Concat", {"p", "p"}, integer("axis", 1), {"c"}) + node("DequantizeLinear", {"c", "s", "z"}));
  EXPECT_THAT(kinds_left(graph),
              ElementsAre(OpKind::kQuantize, OpKind::kMaxPool, OpKind::kConcat, OpKind::kDequantize));
  EXPECT_THAT(result_of(graph, {-1, 2, 1, -3}), ElementsAre(1, 2, 1, 2));
}

std::string message_of(const std::string& body, const ImportOptions& options = {}) {
  try {
    model(body, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(OnnxInt8, ZeroPointsOfGroupedWeightsAreRefusedWhereSumsAreAskedFor) {
  const std::string given_values = input_text("x", {1, 2, 3, 3}, kInt8) +
                                   tensor("w", kInt8, {2, 1, 1, 1}, {127, -128}) + tensor("xz", kInt8, {}, {0}) +
                                   tensor("wz", kInt8, {}, {1});
  EXPECT_THAT(message_of(given_values + node("ConvInteger", {"x", "w", "xz", "wz"}, integer("group", 2))),
              HasSubstr("'ConvInteger_0' (ConvInteger): zero points"));
  EXPECT_EQ(message_of(given_values + node("ConvInteger", {"x", "w", "xz"}, integer("group", 2))), "");
}

TEST(OnnxInt8, ScalesThatFitNoDimensionAreRefused) {
  const auto dequantised = [](std::size_t scales, std::size_t zeros) {
    const auto count = [](std::size_t n) { return Shape{static_cast<std::int64_t>(n)}; };
    return message_of(tensor("w", kInt8, {3, 1}, {1, 2, 3}) +
                      tensor("s", kFloat, count(scales), std::vector<double>(scales, 1)) +
                      tensor("z", kInt8, count(zeros), std::vector<double>(zeros, 0)) +
                      node("DequantizeLinear", {"w", "s", "z"}, integer("axis", 0)));
  };
  EXPECT_EQ(dequantised(3, 3), "");
  EXPECT_THAT(dequantised(2, 2), HasSubstr("2 scales for a dimension of 3"));
  EXPECT_THAT(dequantised(3, 2), HasSubstr("2 zero points for 3 scales"));
}

TEST(OnnxInt8, ProductsOfIntegersAreNoneOfALevel) {
  const std::string integers = input_text("x", {2, 2}, kInt32) + input_text("w", {2, 2}) + input_text("b", {2});
  EXPECT_THAT(
      message_of(integers + node("Relu", {"w"}, "", {"v"}) + node("Gemm", {"x", "v", "b"}), {.type = DataType::kInt8}),
      HasSubstr("cannot be computed in int8"));
}

TEST(OnnxInt8, OperatorsOnLevelsTakeNothingElse) {
  for (const auto& [x, w] : {std::pair{kInt8, kInt8}, {kUint8, kInt8}, {kUint8, kUint8}}) {
    EXPECT_EQ(message_of(input_text("x", {2, 2}, x) + input_text("w", {2, 2}, w) + node("MatMulInteger", {"x", "w"})),
              "");
    EXPECT_EQ(message_of(input_text("x", {1, 1, 2, 2}, x) + input_text("w", {1, 1, 1, 1}, w) +
                         node("ConvInteger", {"x", "w"})),
              "");
  }
  EXPECT_THAT(message_of(input_text("x", {2, 2}, kInt8) + input_text("w", {2, 2}) + node("MatMulInteger", {"x", "w"})),
              HasSubstr("(MatMulInteger): input 1 holds float32, expected int8 or uint8"));
  EXPECT_THAT(message_of(input_text("x", {1, 1, 2, 2}, kInt32) + input_text("w", {1, 1, 1, 1}, kInt8) +
                         node("ConvInteger", {"x", "w"})),
              HasSubstr("(ConvInteger): input 0 holds int32, expected int8 or uint8"));
}

// A convolution, its normalisation and what `last` makes of it.
std::string network(const std::string& last) {
  return input_text("x", {1, 2, 3, 3}) + input_text("w", {2, 2, 1, 1}) + tensor("scale", kFloat, {2}, {2, 1}) +
         tensor("shift", kFloat, {2}, {0, 1}) + tensor("mean", kFloat, {2}, {1, 0}) +
         tensor("variance", kFloat, {2}, {1, 1}) + node("Conv", {"x", "w"}, "", {"c"}) +
         node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, number("epsilon", 0), {"b"}) + last;
}

TEST(OnnxInt8, NetworksOfFloatsGetLevels) {
  const Graph graph = without_dead_parts(model(network(node("Relu", {"b"})), {.type = DataType::kInt8}));
  EXPECT_THAT(kinds_left(graph), ElementsAre(OpKind::kConv, OpKind::kRequantize, OpKind::kClip));
  const std::vector<double> factors = *graph.tensor(graph.op(1).inputs[1]).data,
                            bias = *graph.tensor(graph.op(0).inputs[2]).data;
  EXPECT_FLOAT_EQ(static_cast<float>(factors[0]), static_cast<float>(2 * factors[1]));
  EXPECT_LT(bias[0], 0);  // less the mean
  EXPECT_GT(bias[1], 0);
  for (const Operator& op : graph.operators())
    EXPECT_TRUE(graph.tensor(op.output).is_index || graph.tensor(op.output).fixed_type == DataType::kInt8);
}

TEST(OnnxInt8, NetworksOfFloatsWithoutAFormAreRefusedByNode) {
  EXPECT_THAT(message_of(network(node("Softmax", {"b"})), {.type = DataType::kInt8}),
              HasSubstr("'Softmax_2' (Softmax): cannot be computed in int8"));
}

}  // namespace
}  // namespace tilewright
