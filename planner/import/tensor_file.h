// Tensors in files of their own: .npy as numpy writes it, .pb as the TensorProto of ONNX's test data.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

struct FileTensor {
  std::string name;  // of a .pb; empty where it has none
  Shape shape;
  ValueType type = ValueType::kFloat32;
  std::vector<double> values;  // row-major
};

// By extension. UserError(path, ...) for what is damaged, of an element type that is no number, or a whole number that
// a double does not hold.
FileTensor read_tensor_file(const std::string& path);

// The tensor as one of `type`. numpy has no bfloat16: a file of uint16 holds its bits.
FileTensor read_as(FileTensor tensor, ValueType type);

// The file's bytes.
std::string npy_bytes(const FileTensor& tensor);
std::string proto_bytes(const FileTensor& tensor);

}  // namespace tilewright
