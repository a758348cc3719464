// needs:      split
// does:       chooses a tiling for every part of every matmul and convolution by the closed formulas
// guarantees: every tiling satisfies check_tiling() within its limits
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void tile(Plan& plan);
void verify_tile(const Plan& plan);

}  // namespace tilewright
