// What is worth computing together, by predicted time: an element operand fused into a product takes room from its
// tiles, and a group's blocks may have to read its weights more often.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// The longest chains of operators that could be walked together by rows (ir/group.h), two or more in each, in the order
// of their first operators. Needs types.
std::vector<std::vector<OperatorId>> chains_of(const Plan& plan);

// For a plan tiled operator by operator with everything fused that can be. Of every chain of operators that could be
// walked by rows, the partition that is predicted to be fastest (dynamic programming over the chain); groups that the
// plan has stay.
GroupChoice best_together(const Plan& plan);

// Whether the siblings of these names (ir/siblings.h) are predicted to take less time as the one operator that they are
// in `merged` than by themselves in `apart`, both tiled operator by operator.
bool faster_merged(const Plan& apart, const Plan& merged, const std::vector<std::string>& names);

}  // namespace tilewright
