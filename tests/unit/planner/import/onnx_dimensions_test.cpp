// Dimensions of inputs that a model only names.
#include <gmock/gmock.h>

#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string open_input(const std::string& name, const std::vector<std::string>& dimensions) {
  std::string text = fmt::format("input {{ name: '{}' type {{ tensor_type {{ elem_type: 1 shape {{ ", name);
  for (const std::string& dimension : dimensions) text += fmt::format("dim {{ {} }} ", dimension);
  return text + "} } } } ";
}
std::string named(const std::string& name) { return fmt::format("dim_param: '{}'", name); }

Graph imported(const std::string& inputs, const ImportOptions& options) {
  return import_model_text(
      "ir_version: 8 opset_import { version: 17 } graph { name: 'test' output { name: 'y' } node { op_type: 'Add' "
      "input: 'a' "
      "input: 'b' output: 'y' } " +
          inputs + "}",
      options);
}

const std::string kInputs = open_input("a", {named("batch"), named("tokens"), "dim_value: 8"}) +
                            open_input("b", {named("batch"), named("tokens"), "dim_value: 1"});

TEST(OnnxDimensions, HaveTheValuesGiven) {
  const auto shape = [](const ImportOptions& options) {
    const Graph graph = imported(kInputs, options);
    return graph.tensor(*graph.find_tensor("y")).shape;
  };
  EXPECT_THAT(shape({.dimensions = {{"tokens", 5}}}), ElementsAre(1, 5, 8));
  EXPECT_THAT(shape({.batch = 3, .dimensions = {{"tokens", 5}}}), ElementsAre(3, 5, 8));
  EXPECT_THAT(shape({.dimensions = {{"tokens", 5}, {"batch", 2}}}), ElementsAre(2, 5, 8));
}

TEST(OnnxDimensions, AllWithoutAValueAreNamed) {
  EXPECT_THAT([] { imported(kInputs, {}); },
              ThrowsMessage<UserError>(HasSubstr("dimensions without a value: tokens; give each one by its name, as in "
                                                 "--dim tokens=128")));
  const std::string inputs = open_input("a", {"dim_value: 1", named("rows"), named("columns")}) +
                             open_input("b", {"dim_value: 1", named("rows"), ""});
  EXPECT_THAT([&] { imported(inputs, {}); },
              ThrowsMessage<UserError>(HasSubstr("dimensions without a value: columns, one of input 'b', rows")));
}

TEST(OnnxDimensions, AreOfOnnxModelsOnly) {
  const std::string traces = TILEWRIGHT_SOURCE_DIR "/traces/";
  for (const std::string file : {"two_blocks.yaml", "mobilenet_convs.csv", "llm/llama_3_8b.json"})
    EXPECT_THAT(
        [&] {
          import_workload(traces + file, {.dimensions = {{"tokens", 5}}});
        },
        ThrowsMessage<UserError>(HasSubstr("--dim: is for ONNX models")))
        << file;
}

TEST(OnnxDimensions, OneThatNoInputHasIsRefused) {
  EXPECT_THAT(
      [] {
        imported(kInputs, {.dimensions = {{"tokens", 5}, {"token", 7}}});
      },
      ThrowsMessage<UserError>(HasSubstr("--dim token=7: no input has that dimension; they have batch, tokens")));
  const std::string fixed = open_input("a", {"dim_value: 4"}) + open_input("b", {"dim_value: 4"});
  EXPECT_THAT(
      [&] {
        imported(fixed, {.dimensions = {{"tokens", 5}}});
      },
      ThrowsMessage<UserError>(HasSubstr("all have their values in the file")));
}

TEST(OnnxDimensions, ABatchThatHasItsOwnValueTakesNoOther) {
  EXPECT_THAT(
      [] {
        imported(kInputs, {.batch = 3, .dimensions = {{"tokens", 5}, {"batch", 2}}});
      },
      ThrowsMessage<UserError>(HasSubstr("a batch of 3 is asked for")));
}

}  // namespace
}  // namespace tilewright
