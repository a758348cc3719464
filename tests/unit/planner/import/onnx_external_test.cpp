// Values that a model keeps in files beside it.
#include <gmock/gmock.h>

#include <filesystem>

#include "planner/import/onnx_tensor.h"
#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string bytes_of_floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string entry(const std::string& key, const std::string& value) {
  return fmt::format("external_data {{ key: '{}' value: '{}' }} ", key, value);
}

class OnnxExternal : public testing::Test {
 protected:
  // Four floats behind two others.
  std::string data_ = temporary_file(bytes_of_floats({-1, -2, 1, 2.5, 3, 4}), ".data");

  std::string name() const { return std::filesystem::path(data_).filename().string(); }
  Graph imported(const std::string& place, const ImportOptions& options = {}, int dims = 4) const {
    return import_model_text(
        fmt::format("ir_version: 8 opset_import {{ version: 17 }} graph {{ name: 'test' output {{ "
                    "name: 'y' }} node {{ op_type: 'Neg' name: 'n' input: 'w' output: 'y' }} "
                    "initializer {{ name: 'w' data_type: 1 dims: {} data_location: EXTERNAL {} }} }}",
                    dims, place),
        options);
  }
  void expect_refused(const std::string& place, const std::string& message, const ImportOptions& options = {}) const {
    EXPECT_THAT([&] { imported(place, options); }, ThrowsMessage<UserError>(HasSubstr(message))) << place;
  }
};

TEST_F(OnnxExternal, ValuesAreReadFromWhereTheModelSays) {
  const std::string place = entry("location", name()) + entry("offset", "8");
  for (const std::string& length : {std::string(), entry("length", "16")})
    for (const bool needed : {false, true}) {
      const Graph graph = imported(place + length, {.values = needed});
      EXPECT_THAT(graph.tensor(*graph.find_tensor("w")).data.value(), ElementsAre(1, 2.5, 3, 4));
    }
}

TEST_F(OnnxExternal, ValuesOfConstantNodesAsWell) {
  const Graph graph = import_model_text(
      "ir_version: 8 opset_import { version: 17 } graph { name: 'test' output { name: 'y' } node { op_type: 'Constant' "
      "output: 'c' attribute { name: 'value' type: TENSOR t { data_type: 1 dims: 2 data_location: EXTERNAL " +
      entry("location", name()) +
      "} } } node { op_type: 'Neg' input: 'x' output: 'z' } node { op_type: 'Add' input: 'c' input: 'z' output: 'y' "
      "} " +
      input_text("x", {2}) + "}");
  EXPECT_THAT(graph.tensor(*graph.find_tensor("c")).data.value(), ElementsAre(-1, -2));
}

TEST_F(OnnxExternal, AModelWithoutItsFileIsSeededUnlessValuesAreNeeded) {
  const Graph graph = imported(entry("location", "missing.data"));
  EXPECT_FALSE(graph.tensor(*graph.find_tensor("w")).data);
  expect_refused(entry("location", "missing.data"),
                 "tensor 'w': its values lie in 'missing.data', which cannot be opened", {.values = true});
}

TEST_F(OnnxExternal, NoFileElsewhereIsRead) {
  const std::string link = data_ + ".link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/etc/passwd", link);
  for (const std::string& place : {std::string("../../../../etc/passwd"), std::string("/etc/passwd"),
                                   std::string("a/../.."), std::filesystem::path(link).filename().string()})
    expect_refused(entry("location", place), "which is not below the model's folder");
}

TEST_F(OnnxExternal, WhatDoesNotFitIsRefused) {
  const std::string place = entry("location", name());
  expect_refused(entry("offset", "0"), "tensor 'w': its values lie in another file that the model does not name");
  expect_refused(place + entry("offset", "-8"), "external data: offset: got '-8', expected a number of bytes");
  expect_refused(place + entry("length", "12"), "has 12 bytes in '" + name() + "', but its shape takes 16");
  imported(place + entry("offset", "8"));
  expect_refused(place + entry("offset", "9"), "its values are 16 bytes at byte 9 of '" + name() + "', which has 24");
  expect_refused(place + entry("offset", "9223372036854775807"), "at byte 9223372036854775807 of");
  expect_refused(entry("location", "."), "which cannot be opened");
}

TEST_F(OnnxExternal, LargeTensorsAreReadWhereValuesAreNeeded) {
  const int many = static_cast<int>(kMaxKeptValues) + 1;
  const std::string file = temporary_file(std::string(4 * static_cast<std::size_t>(many), '\0'), ".large");
  const std::string place = entry("location", std::filesystem::path(file).filename().string());
  const auto kept = [&](bool needed) {
    const Graph graph = imported(place, {.values = needed}, many);
    return graph.tensor(*graph.find_tensor("w")).data.has_value();
  };
  EXPECT_FALSE(kept(false));
  EXPECT_TRUE(kept(true));
}

}  // namespace
}  // namespace tilewright
