// needs:      an imported graph
// does:       removes operators that are known ahead or change nothing: BatchNorm becomes a scale and a shift per
//             channel, Identity and Cast vanish, the operators of a GELU, a SiLU or a normalisation of rows become one,
//             a division by a constant a multiplication; with PlanOptions::fuse a convolution's weights take a factor
//             per channel of its input where that is cheaper
// guarantees: none of those operators is left, except where the output of the network would lose its name
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void fold(Plan& plan);
void verify_fold(const Plan& plan);

}  // namespace tilewright
