// What stands for a network of equal blocks (Graph::repeats) where its plans are compared.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// The program of a finished plan up to the end of its first block: what computes no operator behind it. It runs by
// itself; tokens for what follows are left over. All of the program where there is no second block.
Program program_of_first_block(const Plan& plan);

}  // namespace tilewright
