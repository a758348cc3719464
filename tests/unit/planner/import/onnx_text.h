// ONNX models in protobuf's text form, written to a file, imported and evaluated by the reference.
#pragma once

#include <fmt/format.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "planner/import/import.h"
#include "planner/import/onnx_node.h"
#include "planner/reference/evaluate.h"

namespace tilewright {

struct TextModel {
  std::string nodes;
  std::vector<std::pair<std::string, Shape>> inputs;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> integers;  // int64 initializers of rank 1
  std::vector<std::string> outputs = {"y"};
  int opset = 17;
};

// An input of a graph; `type` of TensorProto, floats by default.
inline std::string input_text(const std::string& name, const Shape& shape, int type = 1) {
  std::string text = fmt::format("input {{ name: '{}' type {{ tensor_type {{ elem_type: {} shape {{ ", name, type);
  for (const std::int64_t dim : shape) text += fmt::format("dim {{ dim_value: {} }} ", dim);
  return text + "} } } } ";
}

inline std::string model_text(const TextModel& model) {
  std::string text =
      fmt::format("ir_version: 8 opset_import {{ version: {} }} graph {{ name: 'test' {} ", model.opset, model.nodes);
  for (const auto& [name, shape] : model.inputs) text += input_text(name, shape);
  for (const auto& [name, values] : model.integers) {
    text += fmt::format("initializer {{ name: '{}' data_type: 7 dims: {} ", name, values.size());
    for (const std::int64_t value : values) text += fmt::format("int64_data: {} ", value);
    text += "} ";
  }
  for (const std::string& name : model.outputs) text += fmt::format("output {{ name: '{}' }} ", name);
  return text + "}";
}

inline std::string temporary_file(const std::string& content, const std::string& extension) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string path =
      fmt::format("{}{}_{}{}", ::testing::TempDir(), test->test_suite_name(), test->name(), extension);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

inline Graph import_model_text(const std::string& text, const ImportOptions& options = {}) {
  onnx::ModelProto model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model));
  return import_onnx(temporary_file(model.SerializeAsString(), ".onnx"), options);
}

inline Graph import_text(const TextModel& model) { return import_model_text(model_text(model)); }

// By name.
using Given = std::map<std::string, std::vector<double>>;

// What the reference computes of a tensor.
inline std::vector<double> values_of(const Graph& graph, const Given& given, const std::string& name = "y") {
  const auto values = evaluate(graph, graph.find_tensor(name).value(), [&](TensorId id) -> std::optional<TensorValues> {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.data) return tensor.data;
    const auto found = given.find(tensor.name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  });
  EXPECT_TRUE(values.has_value());
  return values.value_or(TensorValues{});
}

inline std::vector<double> computed(const TextModel& model, const Given& given) {
  return values_of(import_text(model), given);
}

// The attribute list of a node in text form.
inline std::string ints(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string text = fmt::format("attribute {{ name: '{}' type: INTS ", name);
  for (const std::int64_t value : values) text += fmt::format("ints: {} ", value);
  return text + "} ";
}
inline std::string integer(const std::string& name, std::int64_t value) {
  return fmt::format("attribute {{ name: '{}' type: INT i: {} }} ", name, value);
}
inline std::string number(const std::string& name, double value) {
  return fmt::format("attribute {{ name: '{}' type: FLOAT f: {} }} ", name, value);
}
inline std::string text(const std::string& name, const std::string& value) {
  return fmt::format("attribute {{ name: '{}' type: STRING s: '{}' }} ", name, value);
}
inline std::string node(const std::string& type, const std::vector<std::string>& inputs,
                        const std::string& attributes = "", const std::vector<std::string>& outputs = {"y"}) {
  std::string result = fmt::format("node {{ op_type: '{}' ", type);
  for (const std::string& input : inputs) result += fmt::format("input: '{}' ", input);
  for (const std::string& output : outputs) result += fmt::format("output: '{}' ", output);
  return result + attributes + "} ";
}

}  // namespace tilewright
