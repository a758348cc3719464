// Workload files -> Graph. Every importer throws UserError("file[:line]", ...) and lists all unsupported operators of
// the file, with how often each occurs, in one message.
#pragma once

#include <string>

#include "planner/graph/graph.h"

namespace tilewright {

struct ImportOptions {
  DataType type = DataType::kBf16;  // element type of the CSV lists' operands
  std::int64_t batch = 1;           // value of a symbolic batch dimension
};

Graph import_workload(const std::string& path, const ImportOptions& options = {});  // by extension
Graph import_onnx(const std::string& path, const ImportOptions& options);
Graph import_yaml(const std::string& path, const ImportOptions& options);
Graph import_csv(const std::string& path, const ImportOptions& options);  // header "Layer, M, N, K," or the conv list's

}  // namespace tilewright
