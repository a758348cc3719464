#include "planner/import/onnx_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "sim/base/error.h"

namespace tilewright {
namespace {

using onnx::TensorProto;

Shape shape_of(const std::string& where, const TensorProto& proto) {
  Shape shape(proto.dims().begin(), proto.dims().end());
  for (const std::int64_t dim : shape)
    if (dim < 0) throw UserError(where, fmt::format("dimension {} is negative", dim));
  return shape;
}

// Values of one stored type from the raw bytes (little endian, as this machine).
template <typename T>
std::vector<double> from_raw(const std::string& raw) {
  std::vector<double> values(raw.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

std::vector<double> half_from_raw(const std::string& raw, DataType type) {
  std::vector<double> values(raw.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = load_element(reinterpret_cast<const std::byte*>(raw.data()) + 2 * i, type);
  return values;
}

template <typename Field>
std::vector<double> from_field(const Field& field) {
  return std::vector<double>(field.begin(), field.end());
}

// 16-bit floats travel as the low half of int32_data.
std::vector<double> half_from_field(const TensorProto& proto, DataType type) {
  std::vector<double> values;
  for (const std::int32_t bits : proto.int32_data()) {
    const auto half = static_cast<std::uint16_t>(bits);
    values.push_back(load_element(reinterpret_cast<const std::byte*>(&half), type));
  }
  return values;
}

std::vector<double> stored_values(const TensorProto& proto) {
  const std::string& raw = proto.raw_data();
  const bool is_raw = proto.has_raw_data();
  switch (proto.data_type()) {
    case TensorProto::FLOAT:
      return is_raw ? from_raw<float>(raw) : from_field(proto.float_data());
    case TensorProto::DOUBLE:
      return is_raw ? from_raw<double>(raw) : from_field(proto.double_data());
    case TensorProto::INT64:
      return is_raw ? from_raw<std::int64_t>(raw) : from_field(proto.int64_data());
    case TensorProto::INT32:
      return is_raw ? from_raw<std::int32_t>(raw) : from_field(proto.int32_data());
    case TensorProto::BOOL:
    case TensorProto::UINT8:
      return is_raw ? from_raw<std::uint8_t>(raw) : from_field(proto.int32_data());
    case TensorProto::INT8:
      return is_raw ? from_raw<std::int8_t>(raw) : from_field(proto.int32_data());
    case TensorProto::INT16:
      return is_raw ? from_raw<std::int16_t>(raw) : from_field(proto.int32_data());
    case TensorProto::UINT16:
      return is_raw ? from_raw<std::uint16_t>(raw) : from_field(proto.int32_data());
    case TensorProto::UINT32:
      return is_raw ? from_raw<std::uint32_t>(raw) : from_field(proto.uint64_data());
    case TensorProto::UINT64:
      return is_raw ? from_raw<std::uint64_t>(raw) : from_field(proto.uint64_data());
    case TensorProto::FLOAT16:
      return is_raw ? half_from_raw(raw, DataType::kFp16) : half_from_field(proto, DataType::kFp16);
    case TensorProto::BFLOAT16:
      return is_raw ? half_from_raw(raw, DataType::kBf16) : half_from_field(proto, DataType::kBf16);
    default:
      return {};
  }
}

// Of opset 21; the library's list of types ends before.
constexpr int kUint4 = 21, kInt4 = 22;

bool has_values(const TensorProto& proto) {
  return proto.has_raw_data() || proto.float_data_size() > 0 || proto.double_data_size() > 0 ||
         proto.int64_data_size() > 0 || proto.int32_data_size() > 0 || proto.uint64_data_size() > 0;
}

// Two in each byte, the lower half first.
std::vector<double> four_bit_values(const TensorProto& proto, std::int64_t count) {
  std::vector<double> bytes = from_field(proto.int32_data());
  if (proto.has_raw_data()) bytes = from_raw<std::uint8_t>(proto.raw_data());
  std::vector<double> values;
  for (const double byte : bytes)
    for (const int half : {static_cast<int>(byte) & 15, static_cast<int>(byte) >> 4 & 15})
      if (std::ssize(values) < count) values.push_back(proto.data_type() == kInt4 && half > 7 ? half - 16 : half);
  return values;
}

std::int64_t input_dimension(const std::string& where, const onnx::TensorShapeProto::Dimension& dim, bool first,
                             const ImportOptions& options, const std::string& batch_symbol) {
  if (dim.has_dim_value()) return dim.dim_value();
  const bool is_batch = dim.has_dim_param() && !dim.dim_param().empty() ? dim.dim_param() == batch_symbol : first;
  if (is_batch) return options.batch;
  throw UserError(where, fmt::format("dimension '{}' has no value; only the leading (batch) dimension may be symbolic, "
                                     "export the model with fixed shapes",
                                     dim.dim_param()));
}

}  // namespace

namespace {

const std::map<int, OnnxElement>& elements() {
  static const std::map<int, OnnxElement> kElements = {
      {TensorProto::FLOAT, {DataType::kFp32, false, ValueType::kFloat32}},
      {TensorProto::DOUBLE, {DataType::kFp32, false, ValueType::kFloat64}},
      {TensorProto::FLOAT16, {DataType::kFp16, false, ValueType::kFloat16}},
      {TensorProto::BFLOAT16, {DataType::kBf16, false, ValueType::kBfloat16}},
      {TensorProto::INT8, {DataType::kInt8, false, ValueType::kInt8}},
      {TensorProto::INT16, {DataType::kInt32, true, ValueType::kInt16}},
      {TensorProto::INT32, {DataType::kInt32, true, ValueType::kInt32}},
      {TensorProto::INT64, {DataType::kInt32, true, ValueType::kInt64}},
      {TensorProto::UINT8, {DataType::kInt32, true, ValueType::kUint8}},
      {TensorProto::UINT16, {DataType::kInt32, true, ValueType::kUint16}},
      {TensorProto::UINT32, {DataType::kInt32, true, ValueType::kUint32}},
      {TensorProto::UINT64, {DataType::kInt32, true, ValueType::kUint64}},
      {TensorProto::BOOL, {DataType::kInt32, true, ValueType::kBool}},
      {kUint4, {DataType::kInt32, true, ValueType::kUint8}},
      {kInt4, {DataType::kInt8, false, ValueType::kInt8}}};
  return kElements;
}

}  // namespace

bool is_number(int onnx_type) { return elements().contains(onnx_type); }

OnnxElement onnx_element(const std::string& where, int onnx_type) {
  if (const auto element = elements().find(onnx_type); element != elements().end()) return element->second;
  const std::string name = TensorProto::DataType_IsValid(onnx_type)
                               ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type))
                               : std::to_string(onnx_type);
  throw UserError(where, fmt::format("element type {}, expected floats, integers or BOOL", name));
}

bool has_four_bits(const TensorProto& proto) { return proto.data_type() == kUint4 || proto.data_type() == kInt4; }

Tensor onnx_constant(const std::string& name, const TensorProto& proto, std::int64_t at_most) {
  const std::string where = fmt::format("tensor '{}'", name);
  const OnnxElement element = onnx_element(where, proto.data_type());
  Tensor tensor{.name = name, .shape = shape_of(where, proto), .type = element.type, .kind = TensorKind::kConstant};
  tensor.is_index = element.is_index;
  tensor.value_type = element.value_type;
  const bool elsewhere = proto.data_location() == TensorProto::EXTERNAL;
  if (elsewhere && at_most == std::numeric_limits<std::int64_t>::max())
    throw UserError(where, "its values lie in another file, which is not read: store them in the model");
  if (elsewhere || !has_values(proto)) return tensor;
  std::vector<double> values =
      has_four_bits(proto) ? four_bit_values(proto, element_count(tensor.shape)) : stored_values(proto);
  const bool bytes = element.value_type == ValueType::kInt8 || element.value_type == ValueType::kUint8;
  if ((bytes ? (std::ssize(values) + 3) / 4 : std::ssize(values)) <= at_most) tensor.data = std::move(values);
  return tensor;
}

bool has_symbolic_dimension(const onnx::GraphProto& graph) {
  return std::ranges::any_of(graph.input(), [](const onnx::ValueInfoProto& info) {
    return std::ranges::any_of(info.type().tensor_type().shape().dim(),
                               [](const auto& dim) { return !dim.has_dim_value(); });
  });
}

std::string onnx_batch_symbol(const onnx::GraphProto& graph) {
  for (const onnx::ValueInfoProto& info : graph.input()) {
    const auto& shape = info.type().tensor_type().shape();
    if (shape.dim_size() > 0 && shape.dim(0).has_dim_param()) return shape.dim(0).dim_param();
  }
  return {};
}

Tensor onnx_input(const onnx::ValueInfoProto& info, const ImportOptions& options, const std::string& batch_symbol) {
  const std::string where = fmt::format("input '{}'", info.name());
  const auto& type = info.type().tensor_type();
  if (!info.type().has_tensor_type() || !type.has_shape()) throw UserError(where, "is no tensor with a known shape");
  const OnnxElement element = onnx_element(where, type.elem_type());
  Tensor tensor{.name = info.name(), .type = element.type, .kind = TensorKind::kInput, .is_index = element.is_index};
  tensor.value_type = element.value_type;
  for (int i = 0; i < type.shape().dim_size(); ++i)
    tensor.shape.push_back(input_dimension(where, type.shape().dim(i), i == 0, options, batch_symbol));
  return tensor;
}

}  // namespace tilewright
