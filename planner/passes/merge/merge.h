// needs:      decompose
// does:       makes one operator of each set of siblings that PlanOptions::groups names (ir/siblings.h):
//             its weights are theirs one behind the other, and slices of its result are theirs;
//             all of these lie where they would otherwise (Attributes::in_parts), and so do concatenations that are
//             read where their inputs are (parted_concats.h)
// guarantees: nothing is moved for it
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void merge(Plan& plan);
void verify_merge(const Plan& plan);

}  // namespace tilewright
