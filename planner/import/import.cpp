#include "planner/import/import.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/base/error.h"

namespace tilewright {

Graph import_workload(const std::string& path, const ImportOptions& options) {
  if (!std::filesystem::is_regular_file(path)) throw UserError(path, "no such workload file");
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".onnx") return import_onnx(path, options);
  if (extension == ".yaml" || extension == ".yml") return import_yaml(path, options);
  if (extension == ".csv") return import_csv(path, options);
  throw UserError(path, fmt::format("got extension '{}', expected .onnx|.yaml|.yml|.csv", extension));
}

}  // namespace tilewright
