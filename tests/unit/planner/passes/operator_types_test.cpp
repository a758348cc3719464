// Element types of single operators: conversions, values, messages.
#include "planner/import/operator_types.h"

#include <gmock/gmock.h>

#include <fstream>

#include "sim/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OperatorTypes types_of(const std::string& text) {
  const testing_support::ScratchFolder folder("operator_types");
  const std::string path = (folder.path() / "types.yaml").string();
  std::ofstream(path) << text;
  return read_operator_types(path);
}

// x -> up -> norm -> down, norm beside a second reader of `up`.
Graph small_network() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {24, 40}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {40, 56}, TensorKind::kConstant);
  const TensorId up = add_op(graph, "block.up", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
  const TensorId normal = add_op(graph, "block.softmax", OpKind::kSoftmax, {up}, {.axis = 1}, TensorKind::kHidden);
  const TensorId sum = add_op(graph, "block.sum", OpKind::kAdd, {normal, up}, {}, TensorKind::kHidden);
  const TensorId v = add_tensor(graph, "v", {56, 16}, TensorKind::kConstant);
  add_op(graph, "down", OpKind::kMatMul, {sum, v});
  return graph;
}

std::vector<std::string> casts_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Operator& op : graph.operators())
    if (op.kind == OpKind::kCast) names.push_back(op.name);
  return names;
}

TEST(OperatorTypes, ConversionsStandWhereProducerAndConsumerDiffer) {
  const Graph graph = with_operator_types(
      small_network(), types_of("types:\n  - {operators: 'block.s*', type: fp32}\n"), DataType::kBf16);
  EXPECT_THAT(casts_of(graph), ElementsAre("block.up.out.to_fp32", "block.sum.out.to_bf16"));
  const Plan plan = make_plan(graph, chip(), {});
  const auto type = [&](const char* name) { return plan.tensors[plan.graph.find_tensor(name).value()].type; };
  EXPECT_EQ(type("block.softmax.out"), DataType::kFp32);
  EXPECT_EQ(type("down.out"), DataType::kBf16);
  EXPECT_EQ(type("w"), DataType::kBf16);
  expect_values(plan);
}

TEST(OperatorTypes, WeightsOfOneReaderAreStoredInItsType) {
  Hardware hardware = chip();
  hardware.core.matmul.rate[static_cast<int>(DataType::kFp32)] = 0.5;
  const Graph graph =
      with_operator_types(small_network(), types_of("types:\n  - {operators: down, type: fp32}\n"), DataType::kBf16);
  EXPECT_THAT(casts_of(graph), ElementsAre("block.sum.out.to_fp32"));
  const Plan plan = make_plan(graph, hardware, {});
  EXPECT_EQ(plan.tensors[plan.graph.find_tensor("v").value()].type, DataType::kFp32);
  EXPECT_EQ(plan.tensors[plan.graph.find_tensor("down.out").value()].type, DataType::kFp32);
  expect_values(plan);
}

TEST(OperatorTypes, TheFirstRowCountsAndWhatMovesFollows) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {6, 8}, TensorKind::kInput);
  const TensorId e = add_op(graph, "exp", OpKind::kExp, {x}, {}, TensorKind::kHidden);
  const TensorId t = add_op(graph, "turn", OpKind::kTranspose, {e}, {.permutation = {1, 0}}, TensorKind::kHidden);
  add_op(graph, "tanh", OpKind::kTanh, {t});
  const auto types = types_of("types:\n  - {operators: [exp, tanh], type: fp32}\n  - {operators: '*', type: fp16}\n");
  const Graph typed = with_operator_types(graph, types, DataType::kBf16);
  // 'turn' is named by the second row.
  EXPECT_THAT(casts_of(typed), ElementsAre("exp.out.to_fp16", "turn.out.to_fp32"));
  const auto follows = types_of("types:\n  - {operators: [exp, tanh], type: fp32}\n");
  EXPECT_TRUE(casts_of(with_operator_types(graph, follows, DataType::kBf16)).empty());
  expect_values(make_plan(typed, chip(), {}));
}

TEST(OperatorTypes, MixedNetworksGiveTheValuesOfTheReference) {
  for (const char* pattern : {"*", "block.*", "*up", "*softmax", "*sum", "down"})
    for (const DataType network : {DataType::kFp16, DataType::kBf16}) {
      const auto types = types_of(fmt::format("types:\n  - {{operators: '{}', type: {}}}\n", pattern,
                                              network == DataType::kBf16 ? "fp16" : "bf16"));
      expect_values(make_plan(with_operator_types(small_network(), types, network), chip(), {.type = network}));
    }
}

TEST(OperatorTypes, WhatIsWrongIsNamedWithFileAndLine) {
  const auto message = [](const std::string& text) {
    try {
      with_operator_types(small_network(), types_of(text), DataType::kBf16);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message("types:\n  - {operators: 'block.x*', type: fp32}\n"),
              HasSubstr("types.yaml:2: operators: the network has none called 'block.x*'"));
  EXPECT_THAT(message("types:\n  - {operators: down, type: int8}\n"),
              HasSubstr("type: got 'int8', expected fp32|fp16|bf16|fp8_e4m3|fp8_e5m2"));
  EXPECT_THAT(message("types:\n  - {type: fp32}\n"), HasSubstr("operators: at least one is needed"));
  EXPECT_THAT(message("type: fp32\n"), HasSubstr("expected a list of types, each with operators"));
}

}  // namespace
}  // namespace tilewright::test
