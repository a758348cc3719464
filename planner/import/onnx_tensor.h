// ONNX element types, shapes and tensor values.
#pragma once

#include <optional>

#include "planner/graph/graph.h"
#include "planner/import/import.h"
#include "planner/import/onnx_node.h"

namespace tilewright {

struct OnnxElement {
  DataType type = DataType::kFp32;
  bool is_index = false;  // integers and bool, but for int8
  ValueType value_type = ValueType::kFloat32;
  std::optional<DataType> fixed_type = {};
};

// Whether elements of that type are numbers; complex ones are not.
bool is_number(int onnx_type);

// UserError(where, ...) for element types that are not modelled.
OnnxElement onnx_element(const std::string& where, int onnx_type);

// The tensor with its values. Values stored in another file, absent ones, and those of more elements than `at_most`
// (four times as many of one byte each) are left out. UserError when the stored values do not fit the shape.
inline constexpr std::int64_t kMaxKeptValues = std::int64_t{1} << 20;
// Whether each byte of it holds two elements, which are read as int8 or uint8.
bool has_four_bits(const onnx::TensorProto& proto);

Tensor onnx_constant(const std::string& name, const onnx::TensorProto& proto, std::int64_t at_most = kMaxKeptValues);

// A graph input. A symbolic first dimension, and every dimension of the same symbol, has the value options.batch.
Tensor onnx_input(const onnx::ValueInfoProto& info, const ImportOptions& options, const std::string& batch_symbol);

// Whether a dimension of the graph's inputs has no value.
bool has_symbolic_dimension(const onnx::GraphProto& graph);

// The symbol of the first symbolic dimension that leads a shape of the graph's inputs; empty when there is none.
std::string onnx_batch_symbol(const onnx::GraphProto& graph);

}  // namespace tilewright
