// What producers and consumers of partial results agree on.
#pragma once

#include <algorithm>

#include "planner/constants/constants.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// Flag of a core that says: a tile of the partial result of `from` lies ready. Apart from the flags that order
// operators.
inline constexpr int kPartialFlags = 1 << 15;
inline int partial_flag(int from) { return kPartialFlags + from; }

// Accumulate buffer that a part with partial results to add keeps free for them: room for two pieces at least.
inline Bytes partial_area(const Hardware& hardware) {
  const Bytes alignment = constants().buffer_alignment;
  const Bytes share = hardware.core.accumulator / constants().partial_area_divisor / alignment * alignment;
  return std::max(share, 2 * alignment);
}

}  // namespace tilewright
