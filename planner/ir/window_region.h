// What the windows of convolutions and pools read of their input.
#pragma once

#include "planner/graph/window.h"
#include "planner/ir/access.h"

namespace tilewright {

// Input positions behind a range of output positions, those before and behind the input included.
Range window_span(const Window::Axis& axis, Range output);

// Sets dimension `d` of a region to that span: its part of an input of `length` as the box, the rest as padding.
void set_window_span(TensorRegion& region, int d, const Window::Axis& axis, Range output, std::int64_t length);

}  // namespace tilewright
