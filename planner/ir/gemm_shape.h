// One matrix product or convolution as the tiling method sees it: C[m,n] = A[m,k] x B[k,n].
//
// A convolution is mapped onto it: A = weights (m = output channels), B = activations (n = images * output rows *
// output columns, k = channels * kernel), read through windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sim/base/units.h"

namespace tilewright {

// What of a convolution's geometry changes the size of its operand B: the window reads each input several times.
struct ConvShape {
  std::int64_t channels = 1, kernel_h = 1, kernel_w = 1;  // channels: of one group
  std::int64_t images = 1, rows = 1, columns = 1;         // output positions
  std::int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t together = 1;  // images that are not cut while rows can be
  bool grouped = false;       // the product is one of several groups

  std::int64_t kernel() const { return kernel_h * kernel_w; }
  // Elements of the input box behind images x rows x columns of output, halo included.
  std::int64_t input_elements(std::int64_t images, std::int64_t rows, std::int64_t columns,
                              std::int64_t channels) const;
};

struct GemmShape {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batches = 1;  // independent products one after the other
  std::optional<ConvShape> conv;
};

// Columns of a result as images, rows and columns of each; a product has one row of them.
struct ColumnBox {
  std::int64_t images = 1, rows = 1, columns = 1;

  std::int64_t count() const { return images * rows * columns; }
};

inline ColumnBox columns_of(const GemmShape& s) {
  if (!s.conv) return {1, 1, s.n};
  return {s.conv->images, s.conv->rows, s.conv->columns};
}

// The largest box of at most `at_most` columns that `whole` is cut into, of `together` images that are not cut apart
// while rows can be (cut_columns() in ir/contraction.h).
inline ColumnBox box_of(const ColumnBox& whole, std::int64_t at_most, std::int64_t together = 1) {
  const std::int64_t image = whole.rows * whole.columns, group = std::clamp<std::int64_t>(together, 1, whole.images);
  if (at_most >= group * image)
    return {std::min(whole.images, at_most / (group * image) * group), whole.rows, whole.columns};
  const std::int64_t images = std::min(group, at_most), each = std::max<std::int64_t>(1, at_most / images);
  if (each >= whole.columns) return {images, std::min(whole.rows, each / whole.columns), whole.columns};
  return {images, 1, each};
}

inline std::int64_t boxes_in(const ColumnBox& whole, const ColumnBox& box) {
  return ceil_div(whole.images, box.images) * ceil_div(whole.rows, box.rows) * ceil_div(whole.columns, box.columns);
}

}  // namespace tilewright
