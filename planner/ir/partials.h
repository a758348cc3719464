// What producers and consumers of partial results agree on.
#pragma once

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/plan.h"

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

// Who adds up which partial results of an operator, and their bytes; without places. Empty where nothing is summed.
std::vector<PartialPlan> partial_tree(const Plan& plan, OperatorId id);

// The next bytes of a cluster's addressed memory for partial results, `used` of it taken; nothing when they do not fit.
std::optional<Address> room_for_partial(const Hardware& hardware, Bytes used, Bytes bytes);

// By cluster: from 0 on, what partial results take of its addressed memory. They go first, tensors lie behind them.
std::vector<Bytes> partial_room(const Plan& plan);

}  // namespace tilewright
