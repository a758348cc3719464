#include "planner/import/onnx_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "planner/import/element_bytes.h"
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

// Four times as many of one byte each.
bool are_few(const OnnxElement& element, std::int64_t elements, std::int64_t at_most) {
  const bool bytes = element.value_type == ValueType::kInt8 || element.value_type == ValueType::kUint8;
  return (bytes ? ceil_div(elements, std::int64_t{4}) : elements) <= at_most;
}

[[noreturn]] void refuse_size(const std::string& where, const TensorProto& proto) {
  const Shape shape = shape_of(where, proto);
  throw UserError(where, fmt::format("shape {} has more elements than any memory", to_string(shape)));
}

std::int64_t elements_of(const std::string& where, const TensorProto& proto) {
  return element_count(shape_of(where, proto), [&] { refuse_size(where, proto); });
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

std::int64_t raw_bytes(const std::string& where, const TensorProto& proto) {
  const std::int64_t elements = elements_of(where, proto);
  const auto each = static_cast<std::int64_t>(bytes_of(onnx_element(where, proto.data_type()).value_type));
  return has_four_bits(proto) ? ceil_div(elements, std::int64_t{2})
                              : checked_product(elements, each, [&] { refuse_size(where, proto); });
}

bool has_few_values(const std::string& where, const TensorProto& proto, std::int64_t at_most) {
  return are_few(onnx_element(where, proto.data_type()), elements_of(where, proto), at_most);
}

Tensor onnx_constant(const std::string& name, const TensorProto& proto, std::int64_t at_most) {
  const std::string where = fmt::format("tensor '{}'", name);
  const OnnxElement element = onnx_element(where, proto.data_type());
  Tensor tensor{.name = name, .shape = shape_of(where, proto), .type = element.type, .kind = TensorKind::kConstant};
  tensor.is_index = element.is_index;
  tensor.value_type = element.value_type;
  const bool elsewhere = proto.data_location() == TensorProto::EXTERNAL;
  if (elsewhere || !has_values(proto)) return tensor;
  std::vector<double> values =
      has_four_bits(proto) ? four_bit_values(proto, elements_of(where, proto)) : stored_values(proto);
  if (are_few(element, std::ssize(values), at_most)) tensor.data = std::move(values);
  return tensor;
}

Tensor onnx_input(const onnx::ValueInfoProto& info, const OnnxDimensions& dimensions) {
  const std::string where = fmt::format("input '{}'", info.name());
  const auto& type = info.type().tensor_type();
  if (!info.type().has_tensor_type() || !type.has_shape()) throw UserError(where, "is no tensor with a known shape");
  const OnnxElement element = onnx_element(where, type.elem_type());
  Tensor tensor{.name = info.name(), .type = element.type, .kind = TensorKind::kInput, .is_index = element.is_index};
  tensor.value_type = element.value_type;
  tensor.shape = dimensions.shape_of(type.shape());
  return tensor;
}

}  // namespace tilewright
