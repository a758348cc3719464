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

// Length of the input behind `whole` output positions that are cut into `pieces`, padding included.
inline std::int64_t input_length(std::int64_t whole, std::int64_t pieces, std::int64_t stride, std::int64_t extent) {
  return (whole - pieces) * stride + pieces * extent;
}

}  // namespace tilewright
