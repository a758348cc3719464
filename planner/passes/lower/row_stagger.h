// Row stagger: cores that use the same rows of operand A begin with different tiles of them and wrap around.
//
// Rows lie in pieces in several memories. Cores that went through them in step would all read from one memory at a
// time, those of a cluster over one link besides: these begin as far apart as they can.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// The tile of `tiles` that the part begins with, where its tiling says so (Tiling::rows_apart); else 0.
std::size_t first_row_tile(const Plan& plan, OperatorId op, std::size_t item, std::size_t tiles);

}  // namespace tilewright
