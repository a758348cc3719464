// What the conversion of ONNX nodes builds up: the graph so far. Nodes arrive in topological order, so every shape is
// known when it is needed; operators whose inputs are all known and small are computed at once (shape arithmetic).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/import/onnx_node.h"

namespace tilewright {

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

}  // namespace tilewright
