// The operator graph: tensors and operators with stable indices, edges through tensors. Importers make it, passes read
// it. Shapes are concrete and tensors are row-major in their logical dimension order (layouts come with the plan).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/operator_traits.h"
#include "planner/graph/value_type.h"
#include "sim/base/checked.h"
#include "sim/base/data_type.h"

namespace tilewright {

using Shape = std::vector<std::int64_t>;
// `overflow`: as of checked_product(), for shapes that nobody has checked; nothing for those of tensors.
template <typename... Overflow>
std::int64_t element_count(const Shape& shape, const Overflow&... overflow) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count = checked_product(count, dim, overflow...);
  return count;
}
std::string to_string(const Shape& shape);  // "1x384x1024"

using TensorId = int;
using OperatorId = int;

enum class TensorKind : std::uint8_t { kInput, kConstant, kHidden, kOutput };

struct Tensor {
  std::string name;
  Shape shape;
  DataType type = DataType::kFp32;
  TensorKind kind = TensorKind::kHidden;
  bool is_index = false;  // integers: indices, shapes, masks; int32 whatever the network's type
  // The type that the tensor is stored and computed in, whatever the network's: int8 of quantised values, fp32 of
  // their scales.
  std::optional<DataType> fixed_type;
  // An input that the network keeps from run to run and appends to, as keys and values of earlier tokens: it lies where
  // the Concat that appends to it has its result (ir/in_place.h), if that is its only reader.
  bool is_cache = false;
  std::optional<std::vector<double>>
      data;                             // known values of constants and inputs, row-major; else seeded ones are used
  std::optional<ValueType> value_type;  // of a model's file
  std::optional<OperatorId> producer;
  std::vector<OperatorId> consumers;  // ascending, each once
};

// The type that a tensor of floats, integers or quantised values is stored in by a network of type `network`.
inline DataType stored_type(const Tensor& tensor, DataType network) {
  return tensor.is_index ? DataType::kInt32 : tensor.fixed_type.value_or(network);
}

// A constant of one element whose value is known.
inline bool is_known_scalar(const Tensor& tensor) {
  return tensor.kind == TensorKind::kConstant && tensor.data && tensor.data->size() == 1;
}

// What quantised values stand for: (value - zero_point) * scale.
struct QuantLevel {
  double scale = 1, zero_point = 0;
  bool operator==(const QuantLevel&) const = default;
};

// Attributes of all kinds; those a kind does not name stay at their defaults.
struct Attributes {
  std::int64_t axis = 0;  // normalised, >= 0
  std::vector<std::int64_t> axes, starts, ends, steps, permutation;
  std::vector<std::int64_t> window, strides, dilations, pads;  // pads: begin of every axis, then end of every axis
  std::int64_t groups = 1;
  bool transpose_a = false, transpose_b = false, keepdims = true, count_include_pad = false, ceil_mode = false;
  bool zero_extend = false;  // MatMul: where B has fewer rows than A has columns, zeros follow
  bool part = false;      // of a kSlice or kConcat that a decomposition made: seen or written in place (ir/in_place.h)
  bool in_parts = false;  // of a kSlice or kConcat: the whole lies in its parts (ir/in_place.h)
  double epsilon = 1e-5, alpha = 1.0, beta = 1.0;  // alpha and beta: Gemm's
  std::optional<double> clip_low, clip_high;
  double pad_value = 0;  // of a kConv's input
  // Of a kConv: input 2 is no bias but one factor for each channel of X, [C, 1, 1] or [1, C, 1, 1], that W is
  // multiplied with on its way into the array (made by the fuse pass).
  bool channel_factors = false;
  double zero_point = 0;                  // of kQuantize, kDequantize, kRequantize, kMatMulNBits
  std::int64_t bits = 8, group_size = 0;  // of kMatMulNBits; rows of B that share a scale
  // Of a pointwise operator from int8 to int8, one for each input and one for the output: it computes in fp32 what the
  // inputs stand for and quantises the result. Empty: on the values as they are.
  std::vector<QuantLevel> levels;
  bool operator==(const Attributes&) const = default;
};

// Applied to the result of a matmul or convolution before it is stored (made by the fuse pass).
struct Epilogue {
  OpKind kind = OpKind::kAdd;  // a kind of two inputs with `operand` as the second; or an activation
  // Rank 1: one value per output channel (last dimension of MatMul, dimension 1 of Conv). Else broadcast against the
  // result as numpy does.
  std::optional<TensorId> operand;
  Attributes attributes;  // of the fused operator (kClip's limits)
};

struct Operator {
  std::string name;
  OpKind kind = OpKind::kIdentity;
  std::vector<TensorId> inputs;  // absent optional inputs are not listed; see the kind
  TensorId output = -1;
  Attributes attributes;
  std::vector<Epilogue> epilogues;
};
// Where an error about it is: "operator 'fc1' (MatMul)".
std::string place_of(const Operator& op);

class Graph {
 public:
  std::string name;
  bool repeats = false;  // made of equal blocks, the first of which may stand for all

  // UserError when the name is taken, a dimension is below 1, or there are more than 2^40 elements.
  TensorId add_tensor(Tensor tensor);
  // Links producer and consumers; packed weights are int8 from there on. UserError on two producers, and on more than
  // 2^18 operators.
  OperatorId add_operator(Operator op);
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Operator>& operators() const { return operators_; }
  Tensor& tensor(TensorId id) { return tensors_.at(id); }
  const Tensor& tensor(TensorId id) const { return tensors_.at(id); }
  Operator& op(OperatorId id) { return operators_.at(id); }
  const Operator& op(OperatorId id) const { return operators_.at(id); }
  std::optional<TensorId> find_tensor(std::string_view name) const;
  std::optional<OperatorId> find_operator(std::string_view name) const;  // the first of the name, one after another

  // Operators in a topological order, ties by id: the order as imported when that is one. UserError naming an operator
  // on the cycle when there is none. (Boost.Graph below.)
  std::vector<OperatorId> topological_order() const;

 private:
  std::vector<Tensor> tensors_;
  std::vector<Operator> operators_;
  std::map<std::string, TensorId, std::less<>> tensor_by_name_;
};

// The tensor that `id` is a renaming of, itself when it is none.
TensorId without_renamings(const Graph& graph, TensorId id);
// Whether they are one tensor, seen in the same shape.
bool same_elements(const Graph& graph, TensorId a, TensorId b);

// Whether its values are there before the run: a constant, or constants that lie one behind the other without being
// moved.
bool is_constant(const Graph& graph, TensorId id);

// Output shape of an operator from its inputs; UserError(op name, ...) when they do not fit. A kReshape takes the shape
// of its output tensor, which is checked for the number of elements.
Shape infer_shape(const Graph& graph, const Operator& op);

// Multiply-adds of an operator (matmul and convolution only; else 0). UserError when they exceed 2^63.
std::int64_t mac_count(const Graph& graph, const Operator& op);

}  // namespace tilewright
