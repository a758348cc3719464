// MaxPool and AveragePool as passes of the vector unit: a reduction over the windows' taps, and of averages a division
// by the taps that count.
#pragma once

#include <vector>

#include "planner/emit/chunk.h"
#include "planner/graph/window.h"

namespace tilewright {

// What padding counts as.
double pool_padding(OpKind pool);

class PoolWindows {
 public:
  PoolWindows(const Plan& plan, const Operator& op);

  const Window& window() const { return window_; }
  bool is_max() const { return is_max_; }
  // target[extents] = vector.op(a): on_arrays().
  struct Pass {
    Vector vector;
    std::vector<std::int64_t> extents;
    ArrayView target, a;
  };
  // Sums, or maxima, of the windows of `box`, a part of the result in one image. `x`: what they cover, from the first
  // tap of the first window on. Strides of both are those of [image, channel, row, column].
  Pass reduce(const BoxRange& box, const ArrayView& x, const ArrayView& target) const;
  // Means out of sums.
  std::vector<Pass> divide(const BoxRange& box, const ArrayView& sums, const ArrayView& means) const;

 private:
  std::int64_t taps_at(int d, std::int64_t at) const;
  std::vector<Range> runs(int d, Range range) const;

  Shape input_;
  Window window_;
  bool is_max_, count_include_pad_;
};

}  // namespace tilewright
