#include "planner/import/import_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "planner/import/tensor_file.h"
#include "sim/base/error.h"
#include "sim/base/file_kind.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::map<std::string, fs::path> tensor_files(const std::string& folder) {
  if (!is_folder(folder)) throw UserError(folder, "no such folder of inputs");
  std::map<std::string, fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path path = entry.path();
    if (path.extension() != ".npy" && path.extension() != ".pb") continue;
    if (path.stem().string().starts_with("output_")) continue;  // ONNX's test data keeps them beside the inputs
    if (!files.emplace(path.stem().string(), path).second)
      throw UserError(folder, fmt::format("has both {0}.npy and {0}.pb", path.stem().string()));
  }
  return files;
}

void give(Tensor& tensor, const fs::path& path) {
  FileTensor file = read_tensor_file(path);
  if (tensor.value_type == ValueType::kBfloat16) file = read_as(std::move(file), ValueType::kBfloat16);
  if (file.shape != tensor.shape)
    throw UserError(path, fmt::format("has shape {}, input '{}' has {}", to_string(file.shape), tensor.name,
                                      to_string(tensor.shape)));
  const ValueType type = tensor.is_index                                             ? ValueType::kInt32
                         : is_whole(tensor.value_type.value_or(ValueType::kFloat32)) ? *tensor.value_type
                                                                                     : ValueType::kFloat32;
  for (const double value : file.values)
    if (!holds(type, value) || beyond_float(value))
      throw UserError(path, fmt::format("holds {}, input '{}' is computed in {}", value, tensor.name, name_of(type)));
  tensor.data = std::move(file.values);
}

}  // namespace

std::string file_name_of(const std::string& tensor) {
  std::string name = tensor;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '\\' || c == ':' || c == '\0'; }, '_');
  return name;
}

void read_input_values(const std::string& folder, const std::vector<std::string>& names, Graph& graph) {
  std::map<std::string, fs::path> files = tensor_files(folder);
  for (std::size_t position = 0; position < names.size(); ++position) {
    const std::string own = file_name_of(names[position]), numbered = fmt::format("input_{}", position);
    const auto file = files.contains(own) ? files.find(own) : files.find(numbered);
    const auto id = graph.find_tensor(names[position]);
    if (file == files.end() && id)
      throw UserError(folder, fmt::format("has no values for input '{0}': neither {1}.npy, {1}.pb nor {2}.npy, {2}.pb",
                                          names[position], own, numbered));
    if (file == files.end()) continue;
    if (id) give(graph.tensor(*id), file->second);
    files.erase(file);
  }
  if (!files.empty())
    throw UserError(files.begin()->second, fmt::format("'{}' is no input of the model", files.begin()->first));
}

}  // namespace tilewright
