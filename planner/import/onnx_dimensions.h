// Dimensions of a model's inputs that its file only names, and the values that a run gives them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "planner/graph/graph.h"
#include "planner/import/import.h"
#include "planner/import/onnx_node.h"

namespace tilewright {

class OnnxDimensions {
 public:
  // The values are those of ImportOptions::dimensions by name. The first symbol that leads a shape has else the value
  // ImportOptions::batch, wherever it stands, as has a leading dimension without a name. UserError(path, ...) naming
  // all dimensions that have no value then, and for values of dimensions that no input has.
  OnnxDimensions(const std::string& path, const onnx::GraphProto& graph, const ImportOptions& options);

  Shape shape_of(const onnx::TensorShapeProto& shape) const;

 private:
  using Dimension = onnx::TensorShapeProto::Dimension;
  // Nothing where it has none.
  std::optional<std::int64_t> value_of(const Dimension& dimension, bool leads) const;

  std::map<std::string, std::int64_t> values_;  // by symbol
  std::int64_t batch_;
};

}  // namespace tilewright
