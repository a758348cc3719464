// The conversion of ONNX nodes: what it builds up, and the table of operators that are imported, one file per family.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/import/onnx_node.h"

namespace tilewright {

// What the conversion of ONNX nodes builds up: the graph so far. Nodes arrive in topological order, so every shape is
// known when it is needed; operators whose inputs are all known and small are computed at once (shape arithmetic).
class OnnxBuilder {
 public:
  Graph graph;
  std::set<std::string> output_names;  // of the model; their operators are never computed at once

  // Input `index` of the node; UserError when the node has none such.
  TensorId input(const OnnxNode& node, int index) const;
  const Shape& shape(const OnnxNode& node, int index) const { return graph.tensor(input(node, index)).shape; }
  // Values of an input that must be known while importing, e.g. the target of a Reshape.
  const std::vector<double>& values(const OnnxNode& node, int index) const;
  std::vector<std::int64_t> integers(const OnnxNode& node, int index) const;

  // Adds `op` as the operator that computes the node's output `index`. kReshape takes `target`.
  void emit(const OnnxNode& node, Operator op, int index = 0, const Shape& target = {});
  void emit_reshape(const OnnxNode& node, const Shape& target);
  // Adds an operator with a tensor of its own behind the node's output name; for nodes that become several operators.
  TensorId emit_hidden(const OnnxNode& node, Operator op, const std::string& suffix);
  void add_known(const OnnxNode& node, Shape shape, std::vector<double> values, DataType type, bool is_index);

  // Axis as ONNX writes it, from -rank to rank - 1 (to rank with `past_end`), as 0 or more.
  static std::int64_t normalised_axis(const OnnxNode& node, std::int64_t axis, std::size_t rank, bool past_end = false);

 private:
  bool can_compute(const Operator& op, const Tensor& output) const;
  TensorId add(const OnnxNode& node, Operator op, const std::string& name, const Shape& target);
};

struct OnnxConversion {
  std::string_view type;
  void (*convert)(OnnxBuilder& builder, const OnnxNode& node);
  // First and last input that hold a model's weights; a graph input that is only used there is a constant.
  int first_weight = 0, last_weight = -1;
};

std::span<const OnnxConversion> onnx_matrix_operators();
std::span<const OnnxConversion> onnx_window_operators();
std::span<const OnnxConversion> onnx_pointwise_operators();
std::span<const OnnxConversion> onnx_normalise_operators();
std::span<const OnnxConversion> onnx_move_operators();
std::span<const OnnxConversion> onnx_shape_operators();

}  // namespace tilewright
