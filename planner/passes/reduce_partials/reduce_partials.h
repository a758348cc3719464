// needs:      split, tile, place
// does:       says where every partial result goes and which core adds it up, by the reduction and the store that the
//             label of the output names (docs/labels.md, "Shared results")
// guarantees: of every share of a tile the partial results of one box form one tree; their memory overlaps nothing else
//
// Memory of partial results is never used twice in a program: no later operator has to wait for an earlier one's sums.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void reduce_partials(Plan& plan);
void verify_reduce_partials(const Plan& plan);

}  // namespace tilewright
