// The conversion of ONNX nodes: what it builds up, and the table of operators that are imported, one file per family.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/import/onnx_node.h"
#include "planner/import/onnx_tensor.h"

namespace tilewright {

// Attributes of the operators that nodes become, and what their results are beside a copy of their first input's type.
struct OnnxResult {
  Shape target = {};  // of a kReshape
  std::optional<OnnxElement> element = {};
};

// What a tensor of floats that DequantizeLinear makes stands for: (values - zero point) * scale.
struct OnnxLevels {
  TensorId values = -1;                     // of int8, or of int32 without zero points
  std::vector<double> scales, zero_points;  // one, or one for each position along `axis`; those of int8
  std::int64_t axis = 0;
};

// Weights that DequantizeLinear makes floats of, which a product can take as they are stored: (values - zero point)
// times the scales, one for all, one for each position along `axis`, or, with `block`, one for each so many of them,
// row-major.
struct OnnxStoredWeights {
  TensorId values = -1;  // int8 or uint8
  std::vector<double> scales;
  double zero_point = 0;
  std::int64_t axis = 0, block = 0;
};

// What the conversion of ONNX nodes builds up: the graph so far. Nodes arrive in topological order, so every shape is
// known when it is needed; operators whose inputs are all known are computed at once, by their own reference.
class OnnxBuilder {
 public:
  Graph graph;
  std::set<std::string> output_names;         // of the model; their operators are never computed at once
  std::map<std::string, Tensor> empty;        // tensors without elements, which no graph holds
  std::int64_t kept_values = kMaxKeptValues;  // of one constant of the file
  bool in_int8 = false;                       // floats become levels of int8 (onnx_int8_network.h)
  std::map<TensorId, TensorId> floats_of;     // dequantised levels that were made up: what they stand for
  std::map<TensorId, OnnxLevels> levels;      // of tensors of floats
  std::map<TensorId, OnnxStoredWeights> stored_weights;
  bool quantises = false;                // some node makes whole numbers of what the model computes
  std::set<TensorId> four_bits;          // tensors of the file whose elements have 4 bits
  std::map<TensorId, TensorId> int8_of;  // int8 and uint8 tensors as int8, uint8 ones less 128

  // Whether input `index` is there and has elements.
  bool has(const OnnxNode& node, int index) const;
  // Input `index` of the node; UserError when the node has none such.
  TensorId input(const OnnxNode& node, int index) const;
  const Shape& shape(const OnnxNode& node, int index) const { return graph.tensor(input(node, index)).shape; }
  std::size_t rank(const OnnxNode& node, int index) const { return shape(node, index).size(); }
  // Known while importing: the values of a constant, or of what follows from constants and given inputs. What networks
  // compute by products and convolutions is live.
  std::optional<std::vector<double>> known(TensorId id) const;
  // Values of an input that must be known while importing, e.g. the target of a Reshape; those of an empty one.
  std::vector<double> values(const OnnxNode& node, int index) const;
  std::vector<std::int64_t> integers(const OnnxNode& node, int index) const;
  double scalar(const OnnxNode& node, int index) const;

  // Adds `op` as the operator that computes the node's output `index`.
  TensorId emit(const OnnxNode& node, Operator op, int index = 0, const OnnxResult& result = {});
  void emit_reshape(const OnnxNode& node, const Shape& target);
  // Adds an operator with a tensor of its own; for nodes that become several operators.
  TensorId emit_hidden(const OnnxNode& node, Operator op, const OnnxResult& result = {});
  // A constant of the importer's making, without values one that is made up; and one that is the node's output.
  TensorId add_constant(const OnnxNode& node, Shape shape, std::optional<std::vector<double>> values,
                        const OnnxElement& element);
  void add_known(const OnnxNode& node, Shape shape, std::vector<double> values, const OnnxElement& element,
                 int index = 0);

  // Axis as ONNX writes it, from -rank to rank - 1 (to rank with `past_end`), as 0 or more.
  static std::int64_t normalised_axis(const OnnxNode& node, std::int64_t axis, std::size_t rank, bool past_end = false);
  // A node's output `index`; UserError when it has none such.
  static const std::string& output_name(const OnnxNode& node, int index);
  static bool has_output(const OnnxNode& node, int index);

 private:
  bool can_compute(const Operator& op, const Tensor& output) const;
  std::string free_name(const std::string& wanted) const;
  TensorId add(const OnnxNode& node, Operator op, const std::string& name, const OnnxResult& result);
};

struct OnnxConversion {
  std::string_view type;
  void (*convert)(OnnxBuilder& builder, const OnnxNode& node);
  // First and last input that hold a model's weights; a graph input that is only used there is a constant.
  int first_weight = 0, last_weight = -1;
};

// Elements of what importers make themselves.
OnnxElement float_element();
OnnxElement int8_element();   // quantised values, int8 whatever the network's type
OnnxElement scale_element();  // their scales, fp32 whatever the network's type
OnnxElement index_element(ValueType type = ValueType::kInt64);
OnnxElement element_of(const Tensor& tensor);

std::span<const OnnxConversion> onnx_activation_operators();
std::span<const OnnxConversion> onnx_compare_operators();
std::span<const OnnxConversion> onnx_control_operators();
std::span<const OnnxConversion> onnx_einsum_operators();
std::span<const OnnxConversion> onnx_index_operators();
std::span<const OnnxConversion> onnx_integer_operators();
std::span<const OnnxConversion> onnx_known_operators();
std::span<const OnnxConversion> onnx_matrix_operators();
std::span<const OnnxConversion> onnx_move_operators();
std::span<const OnnxConversion> onnx_attention_operators();
std::span<const OnnxConversion> onnx_grid_operators();
std::span<const OnnxConversion> onnx_normalise_operators();
std::span<const OnnxConversion> onnx_packed_operators();
std::span<const OnnxConversion> onnx_pointwise_operators();
std::span<const OnnxConversion> onnx_qlinear_operators();
std::span<const OnnxConversion> onnx_quantize_operators();
std::span<const OnnxConversion> onnx_recurrent_operators();
std::span<const OnnxConversion> onnx_reduce_operators();
std::span<const OnnxConversion> onnx_repeat_operators();
std::span<const OnnxConversion> onnx_resize_operators();
std::span<const OnnxConversion> onnx_shape_operators();
std::span<const OnnxConversion> onnx_sort_operators();
std::span<const OnnxConversion> onnx_window_operators();

}  // namespace tilewright
