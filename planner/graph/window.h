// Sliding windows of convolutions and pools over the two spatial dimensions of [N, C, H, W], defaults filled in.
#pragma once

#include <array>

#include "planner/graph/graph.h"

namespace tilewright {

struct Window {
  struct Axis {
    std::int64_t size = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
    // Input positions one placement spans, in elements.
    std::int64_t extent() const { return (size - 1) * dilation + 1; }
  };
  std::array<Axis, 2> axes;  // height, width
};

// The window of a kConv (size from its weights) or a pool (size from its attributes). UserError(op name, ...) when the
// attributes are not two-dimensional, not positive, or above 2^20.
Window window_of(const Graph& graph, const Operator& op);

// Placements of the window along an input of `length`; below 1 when it does not fit.
std::int64_t placements(const Window::Axis& axis, std::int64_t length, bool ceil_mode);

}  // namespace tilewright
