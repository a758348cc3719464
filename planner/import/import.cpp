#include "planner/import/import.h"

#include <fmt/format.h>

#include <filesystem>

#include "planner/import/import_values.h"
#include "planner/import/language/language_graph.h"
#include "sim/base/error.h"
#include "sim/base/file_kind.h"

namespace tilewright {
namespace {

Graph with_values(Graph graph, const ImportOptions& options) {
  if (options.inputs.empty()) return graph;
  std::vector<std::string> names;
  for (const Tensor& tensor : graph.tensors())
    if (tensor.kind == TensorKind::kInput) names.push_back(tensor.name);
  read_input_values(options.inputs, names, graph);
  return graph;
}

// What the options make too large is said of the file.
Graph import_language(const std::string& path, const ImportOptions& options) {
  const LanguageModel model = import_language_model(path, options);
  try {
    Graph graph = language_graph(model, options.type);
    graph.repeats = true;
    return graph;
  } catch (const UserError& error) {
    throw UserError(path, error.what());
  }
}

void check_dimensions(const ImportOptions& options) {
  if (!options.dimensions.empty())
    throw UserError("--dim", "is for ONNX models, whose files may name dimensions without values");
}

}  // namespace

void check_batch(const std::string& path, const ImportOptions& options, bool has_batch) {
  if (options.batch != 1 && !has_batch)
    throw UserError(
        path, fmt::format("a batch of {} is asked for, and no dimension of the workload is symbolic", options.batch));
}

LanguageModel import_language_model(const std::string& path, const ImportOptions& options) {
  LanguageRun run = options.language;
  run.batch = options.batch;
  return read_language_model(path, run);
}

Graph import_workload(const std::string& path, const ImportOptions& options) {
  if (!is_file(path)) throw UserError(path, "no such workload file");
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".onnx") return import_onnx(path, options);
  check_dimensions(options);
  if (extension == ".yaml" || extension == ".yml") return with_values(import_yaml(path, options), options);
  if (extension == ".csv") return with_values(import_csv(path, options), options);
  if (is_language_config(path)) return with_values(import_language(path, options), options);
  throw UserError(path, fmt::format("got extension '{}', expected .onnx|.yaml|.yml|.csv|.json", extension));
}

}  // namespace tilewright
