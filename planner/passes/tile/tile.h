// needs:      split
// does:       chooses a tiling for every part of every matmul and convolution by the closed formulas
// guarantees: every tiling satisfies check_tiling() within its limits
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void tile(Plan& plan);
void verify_tile(const Plan& plan);

// The planner's own tiling of a part that `cores` cores work on at the same time. UserError when there is none.
Tiling tile_part(const Plan& plan, const Operator& op, const WorkItem& item, std::size_t cores);

}  // namespace tilewright
