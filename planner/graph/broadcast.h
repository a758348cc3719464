// numpy's broadcasting: shapes are aligned at their last dimension; a dimension of 1 is repeated.
#pragma once

#include <optional>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

// The common shape, or nothing when two dimensions differ and neither is 1.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// Elements between neighbours of every dimension, row-major.
std::vector<std::int64_t> row_major_strides(const Shape& shape);

// Strides (elements) that read a tensor of `shape` as if it had shape `target`; repeated dimensions have stride 0.
std::vector<std::int64_t> broadcast_strides(const Shape& shape, const Shape& target);

// The shape in which a tensor of `shape` is broadcast against `to` as it is against `from`, of the same elements in
// other dimensions: each of those meets the same element. Nothing where there is none.
std::optional<Shape> renamed_operand(const Shape& shape, const Shape& from, const Shape& to);

// Calls `visit(offset_a, offset_b)` for every element of `shape` in row-major order, with the two operands' offsets.
template <typename Visit>
void for_each_offset(const Shape& shape, const std::vector<std::int64_t>& strides_a,
                     const std::vector<std::int64_t>& strides_b, Visit visit) {
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t a = 0, b = 0;
  for (std::int64_t left = element_count(shape); left > 0; --left) {
    visit(a, b);
    for (std::size_t d = shape.size(); d-- > 0;) {
      a += strides_a[d];
      b += strides_b[d];
      if (++index[d] < shape[d]) break;
      a -= strides_a[d] * shape[d];
      b -= strides_b[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace tilewright
