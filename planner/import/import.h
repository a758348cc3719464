// Workload files -> Graph. Every importer throws UserError("file[:line]", ...); that of ONNX names all nodes that
// cannot be imported, by operator, in one message.
#pragma once

#include <map>
#include <string>

#include "planner/graph/graph.h"
#include "planner/import/language/language_model.h"

namespace tilewright {

struct ImportOptions {
  DataType type = DataType::kBf16;  // element type of the CSV lists' operands; int8: also that of ONNX networks
  std::int64_t batch = 1;           // value of a symbolic batch dimension
  std::map<std::string, std::int64_t> dimensions;  // values of dimensions that an ONNX model names, by name
  std::string inputs;       // folder with values of the model's inputs; empty: seeded (import_values.h)
  bool values = false;      // keep all of the model's values, however many
  std::int64_t blocks = 0;  // of the block that a YAML graph repeats, the first so many; 0: all
  LanguageRun language{};   // what of a language model's configuration is run, its batch apart
};

Graph import_workload(const std::string& path, const ImportOptions& options = {});  // by extension
Graph import_onnx(const std::string& path, const ImportOptions& options);
Graph import_yaml(const std::string& path, const ImportOptions& options);
// The configuration of a language model as hubs publish it.
LanguageModel import_language_model(const std::string& path, const ImportOptions& options);
// How many blocks a YAML graph repeats, or a language model has; 0: none.
std::int64_t repeated_blocks(const std::string& path, const ImportOptions& options);
Graph import_csv(const std::string& path, const ImportOptions& options);  // header "Layer, M, N, K," or the conv list's
// UserError where a batch is asked for and no dimension of the file at `path` has its value.
void check_batch(const std::string& path, const ImportOptions& options, bool has_batch);

}  // namespace tilewright
