// A view of a tensor: shape, strides and an offset over the row-major element numbers of a base tensor, as PyTorch's
// tensors have them. View operators change these three only; where the elements lie in memory is the layout's matter.
// Strides are negative where a dimension is flipped. A size may be 0: the view is empty. Functions throw UserError
// without a place for what does not fit.
#pragma once

#include <optional>

#include "planner/graph/graph.h"

namespace tilewright {

struct View {
  Shape shape;
  std::vector<std::int64_t> strides;  // elements of the base, by dimension
  std::int64_t offset = 0;

  static View of(const Shape& base);  // all of it, as it is

  // A dimension may be counted from the end: -1 is the last.
  View reshaped(Shape shape) const;  // view(): one size may be -1; UserError when it would need a copy
  View permuted(const std::vector<std::int64_t>& dims) const;
  View transposed(std::int64_t a, std::int64_t b) const;
  View flipped(const std::vector<std::int64_t>& dims) const;  // each from its last element to its first
  // Elements start, start + step ... before stop; with a negative step downwards to behind stop, as NumPy has it. Start
  // and stop may be counted from the end and are moved to the ends where they lie beyond; nothing is left when start is
  // not before stop.
  View sliced(std::int64_t dim, std::int64_t start, std::int64_t stop, std::int64_t step) const;
  View narrowed(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  View selected(std::int64_t dim, std::int64_t index) const;  // the dimension goes
  View expanded(const Shape& shape) const;                    // sizes of 1 and new leading dimensions repeat; -1 keeps
  View squeezed(std::int64_t dim) const;
  View unsqueezed(std::int64_t dim) const;
  View unfolded(std::int64_t dim, std::int64_t size, std::int64_t step) const;  // windows; their elements come last

  // Element of the base at a coordinate.
  std::int64_t element_at(const std::vector<std::int64_t>& coordinate) const;
  std::int64_t last_element() const;  // largest element_at()

  bool operator==(const View&) const = default;
};

// Whether the elements follow each other in the base: Tensor.is_contiguous(). Sizes of 1 do not count.
bool is_contiguous(const View& view);

// Whether the view is the whole base in its own order, at most with other dimensions.
bool covers_in_order(const View& view, const Shape& base);

// The next coordinate of `shape` in row-major order; false, and back at the start, behind the last.
bool next_coordinate(const Shape& shape, std::vector<std::int64_t>& coordinate);

// Whether two coordinates are one element. Exact up to a budget of steps, which only views with many unrelated strides
// exceed; then true.
bool overlaps_itself(const View& view);

// A window into memory by shape, strides and offset: Tensor.as_strided(). UserError when it leaves the base.
View strided_view(const Shape& base, const Shape& shape, const std::vector<std::int64_t>& strides, std::int64_t offset);

// Strides of `shape` over the same elements as `view`, or nothing when they would have to be copied.
std::optional<std::vector<std::int64_t>> strides_after_view(const View& view, const Shape& shape);

}  // namespace tilewright
