#include "planner/import/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "planner/import/element_bytes.h"
#include "planner/import/npy.h"
#include "planner/import/onnx_tensor.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file) throw UserError("", "cannot be read");
  return std::move(content).str();
}

// From column-major to row-major.
std::vector<double> reordered(const std::vector<double>& values, const Shape& shape) {
  const Shape reversed(shape.rbegin(), shape.rend());
  std::vector<double> result(values.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (const double value : values) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[shape.size() - 1 - d];
    result[at] = value;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < reversed[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

// Of a shape as a file states it. UserError when there are too many to be counted.
std::int64_t counted_elements(const Shape& shape) {
  return element_count(shape, [&] {
    throw UserError("", fmt::format("shape {} has more elements than 64 bits count", to_string(shape)));
  });
}

FileTensor read_npy(const std::string& path) {
  const std::string file = whole_file(path);
  const NpyHeader header = parse_npy_header(file);
  const std::string_view data = std::string_view(file).substr(header.bytes);
  const std::int64_t elements = counted_elements(header.shape), each = static_cast<std::int64_t>(bytes_of(header.type));
  if (std::ssize(data) % each != 0 || std::ssize(data) / each != elements)
    throw UserError("", fmt::format("has {} bytes of data, shape {} needs {} elements of {}", data.size(),
                                    to_string(header.shape), elements, each));
  FileTensor tensor{.name = {}, .shape = header.shape, .type = header.type, .values = elements_of(data, header.type)};
  if (header.fortran_order) tensor.values = reordered(tensor.values, tensor.shape);
  return tensor;
}

FileTensor read_proto(const std::string& path) {
  onnx::TensorProto proto;
  if (!proto.ParseFromString(whole_file(path))) throw UserError("", "is no TensorProto (damaged or truncated)");
  Tensor tensor = onnx_constant(proto.name(), proto, std::numeric_limits<std::int64_t>::max());
  const bool empty = std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
  if (!tensor.data && !empty) throw UserError("", "holds no values");
  if (const std::int64_t elements = counted_elements(tensor.shape); !empty && std::ssize(*tensor.data) != elements)
    throw UserError(
        "", fmt::format("has {} values, shape {} needs {}", tensor.data->size(), to_string(tensor.shape), elements));
  return {proto.name(), tensor.shape, *tensor.value_type, tensor.data.value_or(std::vector<double>{})};
}

int proto_type(ValueType type) {
  for (int code = onnx::TensorProto::DataType_MIN; code <= onnx::TensorProto::DataType_MAX; ++code)
    if (is_number(code) && onnx_element("", code).value_type == type) return code;
  SIM_CHECK(false, "value type {}", static_cast<int>(type));
}

}  // namespace

FileTensor read_tensor_file(const std::string& path) {
  try {
    FileTensor tensor = path.ends_with(".npy") ? read_npy(path) : read_proto(path);
    if (is_whole(tensor.type) &&
        std::any_of(tensor.values.begin(), tensor.values.end(), [](double value) { return !std::isfinite(value); }))
      throw UserError("", "holds whole numbers of 2^53 or more");
    return tensor;
  } catch (const UserError& error) {
    throw UserError(path, error.what());
  }
}

FileTensor read_as(FileTensor tensor, ValueType type) {
  if (type == ValueType::kBfloat16 && tensor.type == ValueType::kUint16)
    tensor.values = elements_of(bytes_of(tensor.values, ValueType::kUint16), type);
  tensor.type = type;
  return tensor;
}

std::string npy_bytes(const FileTensor& tensor) {
  const ValueType type = tensor.type == ValueType::kBfloat16 ? ValueType::kFloat32 : tensor.type;
  return npy_header(tensor.shape, type) + bytes_of(tensor.values, type);
}

std::string proto_bytes(const FileTensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(tensor.name);
  proto.set_data_type(proto_type(tensor.type));
  for (const std::int64_t dim : tensor.shape) proto.add_dims(dim);
  proto.set_raw_data(bytes_of(tensor.values, tensor.type));
  return proto.SerializeAsString();
}

}  // namespace tilewright
