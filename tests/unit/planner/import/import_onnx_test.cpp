// Every ONNX operator the importer knows, one model each; the operator, its shape and what changed on the way.
#include <gmock/gmock.h>

#include "planner/reference/reference.h"
#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Imported {
  Graph graph;
  const Operator& op(int id = 0) const { return graph.op(id); }
  const Attributes& attributes(int id = 0) const { return graph.op(id).attributes; }
  const Tensor& y() const { return graph.tensor(*graph.find_tensor("y")); }
};

Imported imported(const TextModel& model) { return {import_text(model)}; }

const std::vector<std::pair<std::string, Shape>> kImage = {{"x", {1, 4, 8, 8}}};

TEST(ImportOnnx, OperatorsOnSingleElements) {
  const std::pair<const char*, OpKind> rows[] = {
      {"Relu", OpKind::kRelu},         {"Gelu", OpKind::kGelu},        {"Erf", OpKind::kErf},
      {"Tanh", OpKind::kTanh},         {"Sigmoid", OpKind::kSigmoid},  {"Sqrt", OpKind::kSqrt},
      {"Exp", OpKind::kExp},           {"Neg", OpKind::kNeg},          {"Reciprocal", OpKind::kReciprocal},
      {"Identity", OpKind::kIdentity}, {"Dropout", OpKind::kIdentity}, {"Atan", OpKind::kAtan}};
  for (const auto& [type, kind] : rows) {
    const Imported model = imported({node(type, {"x"}), {{"x", {2, 3}}}});
    EXPECT_EQ(model.op().kind, kind) << type;
    EXPECT_THAT(model.y().shape, ElementsAre(2, 3)) << type;
    EXPECT_EQ(model.y().kind, TensorKind::kOutput) << type;
  }
}

TEST(ImportOnnx, GeluHasTwoFormulas) {
  const auto kind = [](const std::string& mode) {
    return imported({node("Gelu", {"x"}, text("approximate", mode)), {{"x", {2, 3}}}, {}, {"y"}, 20}).op().kind;
  };
  EXPECT_EQ(kind("none"), OpKind::kGelu);
  EXPECT_EQ(kind("tanh"), OpKind::kGeluTanh);
  EXPECT_THAT([&] { kind("exact"); },
              ThrowsMessage<UserError>(HasSubstr("approximate: got 'exact', expected 'none' or 'tanh'")));
}

TEST(ImportOnnx, OperatorsOfTwoOperandsBroadcast) {
  const std::pair<const char*, OpKind> rows[] = {{"Add", OpKind::kAdd}, {"Sub", OpKind::kSub}, {"Mul", OpKind::kMul},
                                                 {"Div", OpKind::kDiv}, {"Pow", OpKind::kPow}, {"Max", OpKind::kMax},
                                                 {"Min", OpKind::kMin}};
  for (const auto& [type, kind] : rows) {
    const Imported model = imported({node(type, {"x", "z"}), {{"x", {2, 1, 3}}, {"z", {4, 1}}}});
    EXPECT_EQ(model.op().kind, kind) << type;
    EXPECT_THAT(model.y().shape, ElementsAre(2, 4, 3)) << type;
  }
}

TEST(ImportOnnx, OperandsThatCanChangePlacesMayBeMoreThanTwo) {
  const Imported model = imported({node("Max", {"x", "z", "w"}), {{"x", {2, 3}}, {"z", {2, 3}}, {"w", {4, 1, 3}}}});
  ASSERT_EQ(model.graph.operators().size(), 2u);
  EXPECT_EQ(model.op(0).kind, OpKind::kMax);
  EXPECT_EQ(model.op(1).inputs[0], model.op(0).output);
  EXPECT_THAT(model.y().shape, ElementsAre(4, 2, 3));
  const Imported one = imported({node("Min", {"x"}), {{"x", {2, 3}}}});
  EXPECT_EQ(one.op().kind, OpKind::kIdentity);
  EXPECT_THAT(
      [] {
        imported({node("Sub", {"x", "x", "x"}), {{"x", {2, 3}}}});
      },
      ThrowsMessage<UserError>(HasSubstr("got 3 inputs, expected 2")));
}

TEST(ImportOnnx, MatMulTakesARankTwoInputAsWeights) {
  const Imported model = imported({node("MatMul", {"x", "w"}), {{"x", {2, 5, 3}}, {"w", {3, 7}}}});
  EXPECT_THAT(model.y().shape, ElementsAre(2, 5, 7));
  EXPECT_EQ(model.graph.tensor(*model.graph.find_tensor("w")).kind, TensorKind::kConstant);
  EXPECT_EQ(model.graph.tensor(*model.graph.find_tensor("x")).kind, TensorKind::kInput);
}

TEST(ImportOnnx, GemmKeepsARowBiasAndAddsAnyOther) {
  const std::string attributes = integer("transB", 1) + number("alpha", 2);
  const Imported row =
      imported({node("Gemm", {"x", "w", "c"}, attributes), {{"x", {5, 3}}, {"w", {7, 3}}, {"c", {7}}}});
  EXPECT_EQ(row.op().inputs.size(), 3u);
  EXPECT_TRUE(row.attributes().transpose_b);
  EXPECT_EQ(row.attributes().alpha, 2);
  const Imported full =
      imported({node("Gemm", {"x", "w", "c"}, attributes), {{"x", {5, 3}}, {"w", {7, 3}}, {"c", {5, 1}}}});
  EXPECT_EQ(full.op(0).inputs.size(), 2u);
  EXPECT_EQ(full.op(1).kind, OpKind::kAdd);
  EXPECT_THAT(full.y().shape, ElementsAre(5, 7));
}

TEST(ImportOnnx, ConvolutionAttributes) {
  const std::string attributes =
      ints("strides", {2, 1}) + ints("pads", {1, 0, 1, 0}) + ints("dilations", {1, 2}) + integer("group", 2);
  const Imported model =
      imported({node("Conv", {"x", "w", "b"}, attributes), {{"x", {1, 4, 8, 8}}, {"w", {6, 2, 3, 3}}, {"b", {6}}}});
  EXPECT_THAT(model.y().shape, ElementsAre(1, 6, 4, 4));
  EXPECT_EQ(model.attributes().groups, 2);
  EXPECT_EQ(model.op().inputs.size(), 3u);
}

TEST(ImportOnnx, AutomaticPaddingPutsTheOddElementWhereAsked) {
  for (const auto& [mode, pads] : {std::pair{"SAME_UPPER", std::vector<std::int64_t>{0, 0, 1, 1}},
                                   std::pair{"SAME_LOWER", std::vector<std::int64_t>{1, 1, 0, 0}}}) {
    const Imported model = imported({node("Conv", {"x", "w"}, text("auto_pad", mode) + ints("strides", {2, 2})),
                                     {{"x", {1, 4, 8, 8}}, {"w", {6, 4, 3, 3}}}});
    EXPECT_EQ(model.attributes().pads, pads) << mode;
    EXPECT_THAT(model.y().shape, ElementsAre(1, 6, 4, 4));
  }
}

TEST(ImportOnnx, Pools) {
  const std::string window = ints("kernel_shape", {3, 3}) + ints("strides", {2, 2});
  EXPECT_THAT(imported({node("MaxPool", {"x"}, window), kImage}).y().shape, ElementsAre(1, 4, 3, 3));
  const Imported average = imported(
      {node("AveragePool", {"x"}, window + integer("ceil_mode", 1) + integer("count_include_pad", 1)), kImage});
  EXPECT_THAT(average.y().shape, ElementsAre(1, 4, 4, 4));
  EXPECT_TRUE(average.attributes().count_include_pad);
  const Imported global = imported({node("GlobalAveragePool", {"x"}), kImage});
  EXPECT_EQ(global.op().kind, OpKind::kReduceMean);
  EXPECT_THAT(global.y().shape, ElementsAre(1, 4, 1, 1));
}

TEST(ImportOnnx, SoftmaxChangedItsDefaultAxisInOpset13) {
  EXPECT_EQ(imported({node("Softmax", {"x"}), {{"x", {2, 3, 4}}}}).attributes().axis, 2);
  EXPECT_EQ(imported({node("Softmax", {"x"}), {{"x", {2, 3}}}, {}, {"y"}, 11}).attributes().axis, 1);
  const Imported several = imported({node("Softmax", {"x"}), {{"x", {2, 3, 4}}}, {}, {"y"}, 11});
  EXPECT_THAT(several.graph.tensor(several.op(1).inputs[0]).shape, ElementsAre(2, 12));
}

TEST(ImportOnnx, Normalisations) {
  const Imported layer = imported(
      {node("LayerNormalization", {"x", "s", "b"}, number("epsilon", 0.5)), {{"x", {2, 3}}, {"s", {3}}, {"b", {3}}}});
  EXPECT_EQ(layer.attributes().axis, 1);
  EXPECT_EQ(layer.attributes().epsilon, 0.5);
  const Imported batch = imported({node("BatchNormalization", {"x", "s", "b", "m", "v"}),
                                   {{"x", {1, 4, 8, 8}}, {"s", {4}}, {"b", {4}}, {"m", {4}}, {"v", {4}}}});
  EXPECT_EQ(batch.op().inputs.size(), 5u);
  EXPECT_EQ(batch.graph.tensor(*batch.graph.find_tensor("v")).kind, TensorKind::kConstant);
}

TEST(ImportOnnx, ReduceMeanTakesItsAxesFromAttributeOrInput) {
  const std::vector<std::pair<std::string, Shape>> x = {{"x", {2, 3, 4}}};
  EXPECT_THAT(imported({node("ReduceMean", {"x"}, ints("axes", {-1})), x}).y().shape, ElementsAre(2, 3, 1));
  EXPECT_THAT(imported({node("ReduceMean", {"x", "a"}, integer("keepdims", 0)), x, {{"a", {1}}}, {"y"}, 18}).y().shape,
              ElementsAre(2, 4));
  EXPECT_THAT(imported({node("ReduceMean", {"x"}), x}).y().shape, ElementsAre(1, 1, 1));
}

TEST(ImportOnnx, ClipAndCast) {
  const Imported clip = imported(
      {node("Constant", {}, number("value_float", 6), {"six"}) + node("Clip", {"x", "", "six"}), {{"x", {4}}}});
  EXPECT_EQ(clip.attributes().clip_high, 6);
  EXPECT_EQ(clip.attributes().clip_low, std::nullopt);
  const Imported old = imported({node("Clip", {"x"}, number("min", 0)), {{"x", {4}}}, {}, {"y"}, 6});
  EXPECT_EQ(old.attributes().clip_low, 0);
  EXPECT_EQ(imported({node("Cast", {"x"}, integer("to", 10)), {{"x", {4}}}}).y().type, DataType::kFp16);
}

TEST(ImportOnnx, RenamedDimensions) {
  const std::vector<std::pair<std::string, Shape>> x = {{"x", {2, 1, 3, 4}}};
  EXPECT_THAT(imported({node("Reshape", {"x", "s"}), x, {{"s", {0, -1}}}}).y().shape, ElementsAre(2, 12));
  EXPECT_THAT(imported({node("Flatten", {"x"}, integer("axis", 3)), x}).y().shape, ElementsAre(6, 4));
  EXPECT_THAT(imported({node("Squeeze", {"x"}), x}).y().shape, ElementsAre(2, 3, 4));
  EXPECT_THAT(imported({node("Squeeze", {"x"}, ints("axes", {1})), x, {}, {"y"}, 11}).y().shape, ElementsAre(2, 3, 4));
  EXPECT_THAT(imported({node("Unsqueeze", {"x", "a"}), x, {{"a", {0, -1}}}}).y().shape, ElementsAre(1, 2, 1, 3, 4, 1));
}

TEST(ImportOnnx, MovedElements) {
  const std::vector<std::pair<std::string, Shape>> x = {{"x", {2, 6, 4}}};
  EXPECT_THAT(imported({node("Transpose", {"x"}), x}).y().shape, ElementsAre(4, 6, 2));
  EXPECT_THAT(imported({node("Concat", {"x", "x"}, integer("axis", -2)), x}).y().shape, ElementsAre(2, 12, 4));
  const Imported slice = imported(
      {node("Slice", {"x", "s", "e", "a", "t"}), x, {{"s", {1}}, {"e", {INT64_MAX}}, {"a", {-2}}, {"t", {2}}}});
  EXPECT_THAT(slice.y().shape, ElementsAre(2, 3, 4));
  const Imported split =
      imported({node("Split", {"x", "l"}, integer("axis", 1), {"y", "z"}), x, {{"l", {2, 4}}}, {"y", "z"}});
  EXPECT_THAT(split.y().shape, ElementsAre(2, 2, 4));
  EXPECT_THAT(split.attributes(1).starts, ElementsAre(2));
  const Imported gather = imported({node("Gather", {"x", "i"}, integer("axis", 1)), x, {{"i", {5, 0, -1}}}});
  EXPECT_THAT(gather.y().shape, ElementsAre(2, 3, 4));
  EXPECT_TRUE(gather.graph.tensor(gather.op().inputs[1]).is_index);
}

TEST(ImportOnnx, ShapeArithmeticIsDoneWhileImporting) {
  // The idiom of exporters for "flatten all but the batch": Shape, Gather, Unsqueeze, Concat, Reshape.
  const std::string nodes =
      node("Shape", {"x"}, "", {"dims"}) + node("Constant", {}, integer("value_int", 0), {"zero"}) +
      node("Gather", {"dims", "zero"}, "", {"first"}) + node("Unsqueeze", {"first", "axis0"}, "", {"first1"}) +
      node("Concat", {"first1", "rest"}, integer("axis", 0), {"target"}) + node("Reshape", {"x", "target"});
  const Imported model = imported({nodes, {{"x", {2, 3, 4}}}, {{"axis0", {0}}, {"rest", {-1}}}});
  EXPECT_THAT(model.y().shape, ElementsAre(2, 12));
  EXPECT_EQ(model.graph.operators().size(), 1u);
  EXPECT_EQ(model.graph.tensors().size(), 2u) << "constants of the shape arithmetic are gone";
}

TEST(ImportOnnx, NodesMayComeInAnyOrderAndDeadOnesAreDropped) {
  const std::string nodes = node("Relu", {"h"}) + node("Neg", {"x"}, "", {"h"}) + node("Exp", {"x"}, "", {"unused"});
  const Imported model = imported({nodes, {{"x", {4}}}});
  ASSERT_EQ(model.graph.operators().size(), 2u);
  EXPECT_EQ(model.op(0).kind, OpKind::kNeg);
}

TEST(ImportOnnx, NamesAllNodesThatCannotBeImported) {
  const std::string nodes = node("Det", {"x"}, "", {"a"}) + node("Relu", {"a"}, "", {"b"}) +
                            node("Det", {"x"}, "", {"c"}) + node("Softmax", {"x"}, integer("axis", 3), {"d"}) +
                            node("Sum", {"b", "c", "d"});
  EXPECT_THAT(
      [&] {
        imported({nodes, {{"x", {4}}}});
      },
      ThrowsMessage<UserError>(HasSubstr("3 nodes cannot be imported:\n"
                                         "  Det (2 x: 'Det_0', 'Det_2'): the operator is not supported\n"
                                         "  Softmax (1 x: 'Softmax_3'): axis 3 of a tensor of rank 1")));
}

TEST(ImportOnnx, KeepsStoredValues) {
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/tiny_mlp.onnx", {.batch = 4});
  const TensorId weight = *graph.find_tensor("fc1.weight");
  ASSERT_TRUE(graph.tensor(weight).data);
  EXPECT_NEAR(initial_values(graph, weight, DataType::kFp32, 7)[0], -0.731, 1e-6);
  EXPECT_THAT(graph.tensor(*graph.find_tensor("x")).shape, ElementsAre(4, 32));
}

}  // namespace
}  // namespace tilewright
