// Imported operators by what they compute: small models with given inputs, evaluated by the reference.
#include <gmock/gmock.h>

#include <cmath>

#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

auto near(const std::vector<double>& expected) { return Pointwise(DoubleNear(1e-6), expected); }

std::string known(const std::string& name, const std::vector<std::int64_t>& values) {
  return node("Constant", {}, ints("value_ints", values), {name});
}
std::string floats(const std::string& name, const std::vector<double>& values) {
  std::string text = "attribute { name: 'value_floats' type: FLOATS ";
  for (const double value : values) text += fmt::format("floats: {} ", value);
  return node("Constant", {}, text + "} ", {name});
}

// Operators that are left; what is known is not among them.
std::vector<OpKind> kinds_of(const Graph& graph) {
  std::vector<OpKind> kinds;
  for (const Operator& op : graph.operators()) kinds.push_back(op.kind);
  return kinds;
}

TEST(OnnxValues, ShapeArithmeticIsComputedWhileImporting) {
  // Expand to Where(Equal(s, -1), shape of x, s), as PyTorch writes it.
  const TextModel model{known("s", {-1, 2, 3}) + known("minus", {-1}) + node("Shape", {"x"}, "", {"xs"}) +
                            node("Equal", {"s", "minus"}, "", {"open"}) +
                            node("Where", {"open", "xs", "s"}, "", {"t"}) + node("Expand", {"x", "t"}, "", {"e"}) +
                            node("Add", {"e", "e"}),
                        {{"x", {4, 1, 3}}}};
  const Graph graph = import_text(model);
  EXPECT_THAT(graph.tensor(*graph.find_tensor("y")).shape, ElementsAre(4, 2, 3));
  EXPECT_THAT(kinds_of(graph), ElementsAre(OpKind::kGather, OpKind::kIdentity, OpKind::kAdd));
}

TEST(OnnxValues, RangeAndCastsOfKnownValues) {
  const std::string cast = node("Cast", {"f"}, integer("to", 7), {"i"}) + node("Cast", {"i"}, integer("to", 1), {"g"});
  EXPECT_THAT(computed({floats("f", {3.5, -2.7}) + cast + node("Add", {"x", "g"}), {{"x", {2}}}}, {{"x", {0, 0}}}),
              ElementsAre(3, -2));
  const std::string range =
      node("Constant", {}, integer("value_int", 1), {"a"}) + node("Constant", {}, integer("value_int", 8), {"b"}) +
      node("Constant", {}, integer("value_int", 3), {"c"}) + node("Range", {"a", "b", "c"}, "", {"r"});
  EXPECT_THAT(computed({range + node("Gather", {"x", "r"}), {{"x", {8}}}}, {{"x", {0, 10, 20, 30, 40, 50, 60, 70}}}),
              ElementsAre(10, 40, 70));
}

TEST(OnnxValues, LiveCastsCutTowardsZero) {
  const std::string there_and_back =
      node("Cast", {"x"}, integer("to", 7), {"i"}) + node("Cast", {"i"}, integer("to", 1));
  EXPECT_THAT(computed({there_and_back, {{"x", {3}}}}, {{"x", {3.5, -2.7, 0.2}}}), ElementsAre(3, -2, 0));
  EXPECT_THAT(computed({node("Cast", {"x"}, integer("to", 9)), {{"x", {3}}}}, {{"x", {3.5, 0, -1}}}),
              ElementsAre(1, 0, 1));
}

TEST(OnnxValues, WhereOnLiveDataKeepsWhatItDoesNotChoose) {
  const double infinity = std::numeric_limits<double>::infinity();
  const TextModel model{node("Less", {"x", "z"}, "", {"c"}) + node("Where", {"c", "x", "z"}), {{"x", {3}}, {"z", {3}}}};
  EXPECT_THAT(computed(model, {{"x", {1, 5, -infinity}}, {"z", {2, infinity, 7}}}), ElementsAre(1, 5, -infinity));
}

TEST(OnnxValues, SlicesRunBackwards) {
  const TextModel model{known("a", {-1}) + known("e", {-100}) + known("d", {0}) + known("t", {-2}) +
                            node("Slice", {"x", "a", "e", "d", "t"}),
                        {{"x", {5}}}};
  EXPECT_THAT(computed(model, {{"x", {0, 1, 2, 3, 4}}}), ElementsAre(4, 2, 0));
}

TEST(OnnxValues, ActivationsThatAreFormulas) {
  const std::vector<double> x = {-4, -1, 0, 2};
  const auto of = [&](const std::string& type, const std::string& attributes = "") {
    return computed({node(type, {"x"}, attributes), {{"x", {4}}}}, {{"x", x}});
  };
  EXPECT_THAT(of("HardSwish"), near({0, -1.0 / 3, 0, 2 * 5.0 / 6}));
  EXPECT_THAT(of("HardSigmoid"), near({0, 0.3, 0.5, 0.9}));
  EXPECT_THAT(of("LeakyRelu", number("alpha", 0.25)), near({-1, -0.25, 0, 2}));
  EXPECT_THAT(of("LeakyRelu", number("alpha", 2)), near({-8, -2, 0, 2}));
  EXPECT_THAT(of("Elu"), near({std::exp(-4) - 1, std::exp(-1) - 1, 0, 2}));
  EXPECT_THAT(of("Softplus"),
              near({std::log1p(std::exp(-4)), std::log1p(std::exp(-1)), std::log(2), 2 + std::log1p(std::exp(-2))}));
  EXPECT_THAT(of("Abs"), ElementsAre(4, 1, 0, 2));
  EXPECT_THAT(of("Ceil"), ElementsAre(-4, -1, 0, 2));
  EXPECT_THAT(of("LogSoftmax", integer("axis", 0))[3],
              DoubleNear(-std::log(1 + std::exp(-2) + std::exp(-3) + std::exp(-6)), 1e-9));
}

TEST(OnnxValues, ReductionsOverAxes) {
  const Given x = {{"x", {1, -2, 3, 4, 5, -6}}};
  const auto of = [&](const std::string& type) {
    return computed({node(type, {"x"}, ints("axes", {1}) + integer("keepdims", 0)), {{"x", {2, 3}}}, {}, {"y"}, 11}, x);
  };
  EXPECT_THAT(of("ReduceSum"), ElementsAre(2, 3));
  EXPECT_THAT(of("ReduceMax"), ElementsAre(3, 5));
  EXPECT_THAT(of("ReduceMin"), ElementsAre(-2, -6));
  EXPECT_THAT(of("ReduceProd"), ElementsAre(-6, -120));
  EXPECT_THAT(of("ReduceL1"), ElementsAre(6, 15));
  EXPECT_THAT(of("ReduceL2"), near({std::sqrt(14), std::sqrt(77)}));
}

TEST(OnnxValues, ProductsWithVectorsAndScaledBiases) {
  const TextModel vectors{node("MatMul", {"x", "z"}), {{"x", {3}}, {"z", {3, 2}}}};
  EXPECT_THAT(computed(vectors, {{"x", {1, 2, 3}}, {"z", {1, 0, 0, 1, 2, 2}}}), ElementsAre(7, 8));
  const TextModel gemm{node("Gemm", {"x", "w", "c"}, number("beta", 0.5)),
                       {{"x", {1, 2}}, {"w", {2, 2}}, {"c", {1, 1}}}};
  EXPECT_THAT(computed(gemm, {{"x", {1, 2}}, {"w", {1, 0, 0, 1}}, {"c", {4}}}), ElementsAre(3, 4));
}

TEST(OnnxValues, SoftmaxOverSeveralDimensionsBeforeOpset13) {
  const std::vector<double> y =
      computed({node("Softmax", {"x"}), {{"x", {1, 2, 2}}}, {}, {"y"}, 11}, {{"x", {0, 0, 0, 0}}});
  EXPECT_THAT(y, ElementsAre(0.25, 0.25, 0.25, 0.25));
}

TEST(OnnxValues, LimitsOfAClipMayBeLive) {
  const TextModel model{node("Clip", {"x", "low"}), {{"x", {3}}, {"low", {}}}};
  EXPECT_THAT(computed(model, {{"x", {1, 2, 3}}, {"low", {2}}}), ElementsAre(2, 2, 3));
}

TEST(OnnxValues, ResizedByNeighboursAndByWeights) {
  const std::string scales = floats("s", {1, 1, 1, 2});
  const std::vector<std::pair<std::string, Shape>> image = {{"x", {1, 1, 1, 2}}};
  EXPECT_THAT(
      computed({scales + node("Resize", {"x", "", "s"}, text("coordinate_transformation_mode", "asymmetric")), image},
               {{"x", {1, 3}}}),
      ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(computed({scales + node("Resize", {"x", "", "s"}, text("mode", "linear")), image}, {{"x", {1, 3}}}),
              near({1, 1.5, 2.5, 3}));
}

TEST(OnnxValues, LargestElementsAndTheirPositions) {
  const TextModel model{known("k", {2}) + node("TopK", {"x", "k"}, "", {"y", "i"}), {{"x", {1, 5}}}, {}, {"y", "i"}};
  const Graph graph = import_text(model);
  const Given x = {{"x", {1, 7, 3, 7, 2}}};
  EXPECT_THAT(values_of(graph, x), ElementsAre(7, 7));
  EXPECT_THAT(values_of(graph, x, "i"), ElementsAre(1, 3));
  EXPECT_THAT(computed({node("ArgMax", {"x"}, integer("axis", 1)), {{"x", {1, 5}}}}, x), ElementsAre(1));
  EXPECT_THAT(computed({node("ArgMin", {"x"}, integer("axis", 1)), {{"x", {1, 5}}}}, x), ElementsAre(0));
}

TEST(OnnxValues, TransposedConvolutionByItsDefinition) {
  // Stride 2 and a kernel of 3: every input adds its multiple of the kernel two places further.
  const TextModel model{node("Neg", {"w"}, "", {"v"}) + node("ConvTranspose", {"x", "v"}, ints("strides", {2})),
                        {{"x", {1, 1, 3}}, {"w", {1, 1, 3}}}};
  EXPECT_THAT(computed(model, {{"x", {1, 2, 3}}, {"w", {1, 10, 100}}}),
              ElementsAre(-1, -10, -102, -20, -203, -30, -300));
}

TEST(OnnxValues, ConvolutionsOverOneAndThreeDimensions) {
  EXPECT_THAT(
      computed({node("Conv", {"x", "w"}), {{"x", {1, 1, 4}}, {"w", {1, 1, 2}}}}, {{"x", {1, 2, 3, 4}}, {"w", {1, 10}}}),
      ElementsAre(21, 32, 43));
  EXPECT_THAT(computed({node("Neg", {"w"}, "", {"v"}) + node("Conv", {"x", "v"}),
                        {{"x", {1, 1, 2, 1, 2}}, {"w", {1, 1, 2, 1, 1}}}},
                       {{"x", {1, 2, 3, 4}}, {"w", {1, 10}}}),
              ElementsAre(-31, -42));
}

TEST(OnnxValues, EinsumTransposesAndSums) {
  const TextModel model{node("Einsum", {"x", "z"}, text("equation", "ij,kj->ki")), {{"x", {2, 2}}, {"z", {1, 2}}}};
  EXPECT_THAT(computed(model, {{"x", {1, 2, 3, 4}}, {"z", {10, 1}}}), ElementsAre(12, 34));
  EXPECT_THAT(computed({node("Einsum", {"x"}, text("equation", "ij->j")), {{"x", {2, 2}}}}, {{"x", {1, 2, 3, 4}}}),
              ElementsAre(4, 6));
}

TEST(OnnxValues, OneStepOfALstmByHand) {
  // All gates see x; with weights of 0 but the cell's: c = sigmoid(0) * tanh(x), h = sigmoid(0) * tanh(c).
  const TextModel model{node("LSTM", {"x", "w", "r"}, integer("hidden_size", 1), {"y"}),
                        {{"x", {1, 1, 1}}, {"w", {1, 4, 1}}, {"r", {1, 4, 1}}}};
  const double c = 0.5 * std::tanh(2.0);
  EXPECT_THAT(computed(model, {{"x", {2}}, {"w", {0, 0, 0, 1}}, {"r", {0, 0, 0, 0}}}), near({0.5 * std::tanh(c)}));
}

TEST(OnnxValues, BranchesAndLoopsOfKnownCourse) {
  const std::string body = "g { name: 'b' node { op_type: 'Neg' input: 'x' output: 'n' } output { name: 'n' } } } ";
  const std::string other = "g { name: 'b' node { op_type: 'Det' input: 'x' output: 'n' } output { name: 'n' } } } ";
  const std::string branches =
      "attribute { name: 'then_branch' type: GRAPH " + body + "attribute { name: 'else_branch' type: GRAPH " + other;
  const std::string condition = node("Constant", {}, integer("value_int", 1), {"c"});
  EXPECT_THAT(computed({condition + node("If", {"c"}, branches), {{"x", {2}}}}, {{"x", {1, -2}}}), ElementsAre(-1, 2));
  const std::string rounds =
      "attribute { name: 'body' type: GRAPH g { name: 'b' input { name: 'i' } input { name: 'go' } input { name: 'v' } "
      "node { op_type: 'Identity' input: 'go' output: 'on' } node { op_type: 'Add' input: 'v' input: 'v' output: 'w' } "
      "output { name: 'on' } output { name: 'w' } } } ";
  const std::string count = node("Constant", {}, integer("value_int", 3), {"n"});
  EXPECT_THAT(computed({count + node("Loop", {"n", "", "x"}, rounds), {{"x", {2}}}}, {{"x", {1, -2}}}),
              ElementsAre(8, -16));
}

TEST(OnnxValues, OutputsMayBeConstantsAndInputs) {
  const Graph graph =
      import_text({floats("y", {1.5}) + node("Identity", {"x"}, "", {"z"}), {{"x", {2}}}, {}, {"y", "z"}});
  EXPECT_THAT(values_of(graph, {}), ElementsAre(1.5));
  EXPECT_THAT(values_of(graph, {{"x", {4, 5}}}, "z"), ElementsAre(4, 5));
  EXPECT_EQ(graph.tensor(*graph.find_tensor("y")).kind, TensorKind::kOutput);
}

TEST(OnnxValues, ScatteredRowsReplaceThoseOfTheData) {
  const TextModel model{
      known("i", {2}) + node("Unsqueeze", {"i", "zero"}, "", {"at"}) + node("ScatterND", {"x", "at", "u"}),
      {{"x", {3, 2}}, {"u", {1, 2}}},
      {{"zero", {0}}}};
  EXPECT_THAT(computed(model, {{"x", {1, 2, 3, 4, 5, 6}}, {"u", {8, 9}}}), ElementsAre(1, 2, 3, 4, 8, 9));
}

TEST(OnnxValues, TrainingThatDropsNothingIsInference) {
  const std::string constants =
      node("Constant", {}, number("value_float", 0), {"r"}) + node("Constant", {}, integer("value_int", 1), {"t"});
  EXPECT_THAT(computed({constants + node("Dropout", {"x", "r", "t"}), {{"x", {2}}}}, {{"x", {1, 2}}}),
              ElementsAre(1, 2));
}

TEST(OnnxValues, QuantisedValuesAreRoundedAndLimited) {
  const TextModel model{floats("s", {0.5}) + node("Squeeze", {"s"}, "", {"scale"}) +
                            node("QuantizeLinear", {"x", "scale"}, "", {"q"}) +
                            node("DequantizeLinear", {"q", "scale"}),
                        {{"x", {4}}}};
  EXPECT_THAT(computed(model, {{"x", {0.6, -3, 0.75, 1000}}}), ElementsAre(0.5, 0, 1, 127.5));
}

// Of the image 1 2 / 3 4 at the points (0, 0), (-1, -1), (1, 0) and (-2.5, 0.5), x before y.
TEST(OnnxValues, GridSampleReadsBetweenPixelsAndBeyondThem) {
  const auto sampled = [](const std::string& mode, const std::string& padding, int corners) {
    const std::string attributes =
        text("mode", mode) + text("padding_mode", padding) + integer("align_corners", corners);
    return computed(
        {node("GridSample", {"x", "g"}, attributes), {{"x", {1, 1, 2, 2}}, {"g", {1, 1, 4, 2}}}, {}, {"y"}, 20},
        {{"x", {1, 2, 3, 4}}, {"g", {0, 0, -1, -1, 1, 0, -2.5, 0.5}}});
  };
  EXPECT_THAT(sampled("linear", "zeros", 0), near({2.5, 0.25, 1.5, 0}));
  EXPECT_THAT(sampled("linear", "border", 0), near({2.5, 1, 3, 3}));
  EXPECT_THAT(sampled("linear", "reflection", 0), near({2.5, 1, 3, 4}));
  EXPECT_THAT(sampled("linear", "zeros", 1), near({2.5, 1, 3, 0.625}));
  EXPECT_THAT(sampled("linear", "reflection", 1), near({2.5, 1, 3, 3.25}));
  EXPECT_THAT(sampled("nearest", "border", 1), near({1, 1, 2, 3}));
  EXPECT_THAT([&] { sampled("cubic", "zeros", 0); },
              ThrowsMessage<UserError>(HasSubstr("mode: got 'cubic', expected linear, bilinear or nearest")));
}

}  // namespace
}  // namespace tilewright
