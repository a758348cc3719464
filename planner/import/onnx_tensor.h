// ONNX element types, shapes and tensor values.
#pragma once

#include <optional>

#include "planner/graph/graph.h"
#include "planner/import/onnx_dimensions.h"
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

inline constexpr std::int64_t kMaxKeptValues = std::int64_t{1} << 20;
// Whether each byte of it holds two elements, which are read as int8 or uint8.
bool has_four_bits(const onnx::TensorProto& proto);
// Bytes of its values where they are stored raw. UserError(where, ...) for a shape that no memory holds.
std::int64_t raw_bytes(const std::string& where, const onnx::TensorProto& proto);
// Whether its values are kept where those of at most `at_most` elements, four times as many of one byte each, are.
bool has_few_values(const std::string& where, const onnx::TensorProto& proto, std::int64_t at_most);

// The tensor with its values. Values stored in another file (onnx_external.h), absent ones, and those of more elements
// than `at_most` are left out. UserError when the stored values do not fit the shape.
Tensor onnx_constant(const std::string& name, const onnx::TensorProto& proto, std::int64_t at_most = kMaxKeptValues);

Tensor onnx_input(const onnx::ValueInfoProto& info, const OnnxDimensions& dimensions);

}  // namespace tilewright
