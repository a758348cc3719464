// What a part of a product should take on its core: for telling grids of parts apart, never reported.
#pragma once

#include "planner/ir/contraction.h"

namespace tilewright {

// The larger of compute and load time of the part, core clocks, when all cores load at once.
double part_cycles(const Plan& plan, const Contraction& part);

// Adding up `parts` partial results of the part's box: inside the clusters, then between them. Each level signals once
// and moves every partial result of it there and back.
double reduction_cycles(const Plan& plan, const Contraction& part, std::int64_t parts);

}  // namespace tilewright
