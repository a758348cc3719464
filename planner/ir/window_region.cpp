#include "planner/ir/window_region.h"

#include <algorithm>

namespace tilewright {

Range window_span(const Window::Axis& axis, Range output) {
  const std::int64_t first = output.begin * axis.stride - axis.pad_begin;
  return {first, (output.end - 1) * axis.stride - axis.pad_begin + axis.extent()};
}

void set_window_span(TensorRegion& region, int d, const Window::Axis& axis, Range output, std::int64_t length) {
  const Range span = window_span(axis, output);
  region.box[d] = {std::clamp<std::int64_t>(span.begin, 0, length), std::clamp<std::int64_t>(span.end, 0, length)};
  // Nothing but padding, where it is as wide as the kernel: all of it counts as low.
  region.pad_high[d] = region.box[d].size() == 0 ? 0 : span.end - region.box[d].end;
  region.pad_low[d] = span.size() - region.box[d].size() - region.pad_high[d];
}

}  // namespace tilewright
