// Whether what was fused into a product or convolution is worth it: its operand takes room from the tiles.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Products and convolutions of a tiled plan, by name, that are predicted to be faster when what is fused into them from
// the first element operand on (ir/epilogue.h) is computed by operators of its own.
std::vector<std::string> better_apart(const Plan& plan);

}  // namespace tilewright
