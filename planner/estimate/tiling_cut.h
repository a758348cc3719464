// How a part falls into steps and tiles, by arithmetic: for bounds that look at a million points per second.
#pragma once

#include <algorithm>

#include "planner/ir/gemm_shape.h"

namespace tilewright {

// Sizes that a dimension falls into when it is cut into steps and each step into tiles: at most three.
struct SizeCut {
  int kinds = 0;
  std::int64_t size[3] = {}, times[3] = {};
  std::int64_t pieces = 0, smallest = 0;

  void add(std::int64_t piece, std::int64_t count) {
    if (piece == 0 || count == 0) return;
    size[kinds] = piece, times[kinds++] = count;
    pieces += count;
    smallest = smallest == 0 ? piece : std::min(smallest, piece);
  }
};

inline SizeCut cut_twice(std::int64_t whole, std::int64_t step, std::int64_t tile) {
  const std::int64_t steps = whole / step, rest = whole % step;
  SizeCut cut;
  cut.add(tile, steps * (step / tile) + rest / tile);
  cut.add(step % tile, steps);
  cut.add(rest % tile, 1);
  return cut;
}

// Images, rows and columns of a box of at most `at_most` result columns (cut_columns() in planner/ir/contraction.h).
struct ColumnBox {
  std::int64_t images = 1, rows = 1, columns = 1;
};

inline ColumnBox columns_of(const GemmShape& s) {
  if (!s.conv) return {1, 1, s.n};
  return {s.conv->images, s.conv->rows, s.conv->columns};
}

inline ColumnBox box_of(const ColumnBox& whole, std::int64_t at_most) {
  const std::int64_t image = whole.rows * whole.columns;
  if (at_most >= image) return {std::min(whole.images, at_most / image), whole.rows, whole.columns};
  if (at_most >= whole.columns) return {1, at_most / whole.columns, whole.columns};
  return {1, 1, at_most};
}

inline std::int64_t boxes_in(const ColumnBox& whole, const ColumnBox& box) {
  return ceil_div(whole.images, box.images) * ceil_div(whole.rows, box.rows) * ceil_div(whole.columns, box.columns);
}

// Length of the input behind `whole` output positions that are cut into `pieces`, padding included.
inline std::int64_t input_length(std::int64_t whole, std::int64_t pieces, std::int64_t stride, std::int64_t extent) {
  return (whole - pieces) * stride + pieces * extent;
}

}  // namespace tilewright
