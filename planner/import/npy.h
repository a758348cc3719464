// The header of numpy's .npy files, versions 1 to 3.
#pragma once

#include <string>
#include <string_view>

#include "planner/graph/graph.h"

namespace tilewright {

struct NpyHeader {
  Shape shape;
  ValueType type = ValueType::kFloat32;
  bool fortran_order = false;
  std::size_t bytes = 0;  // of the header
};

// UserError("", ...) for anything else.
NpyHeader parse_npy_header(std::string_view file);
std::string npy_header(const Shape& shape, ValueType type);

}  // namespace tilewright
