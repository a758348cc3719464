// needs:      split, tile, place
// does:       says where every partial result goes and which core adds it up: inside each cluster the first core of the
//             box, then across clusters the first of those (docs/labels.md, "Exchange")
// guarantees: partial results of one box form one tree; their memory overlaps nothing else
//
// Memory of partial results is never used twice in a program: no later operator has to wait for an earlier one's sums.
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void exchange(Plan& plan);
void verify_exchange(const Plan& plan);

// Flag of a core that says: a tile of the partial result of `from` lies ready. Apart from the flags that order
// operators.
inline constexpr int kPartialFlags = 1 << 15;
inline int partial_flag(int from) { return kPartialFlags + from; }

// Accumulate buffer that a part with partial results to add keeps free for them.
inline Bytes partial_area(const Hardware& hardware) { return hardware.core.accumulator / 8 / 64 * 64; }

}  // namespace tilewright
