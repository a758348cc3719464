// One matrix product or convolution as the tiling method sees it: C[m,n] = A[m,k] x B[k,n].
//
// A convolution is mapped onto it: A = weights (m = output channels), B = activations (n = images * output rows *
// output columns, k = channels * kernel), read through windows.
#pragma once

#include <cstdint>
#include <optional>

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

// Output positions of a convolution: images, rows and columns of them.
struct OutputBox {
  std::int64_t images = 1, rows = 1, columns = 1;

  std::int64_t count() const { return images * rows * columns; }
};
inline OutputBox outputs_of(const ConvShape& conv) { return {conv.images, conv.rows, conv.columns}; }
// The largest box of at most `at_most` positions that cut_columns() (ir/contraction.h) makes of `whole`.
OutputBox largest_cut(const OutputBox& whole, std::int64_t together, std::int64_t at_most);

struct GemmShape {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batches = 1;  // independent products one after the other
  std::optional<ConvShape> conv;
};

}  // namespace tilewright
