// Weight stagger: cores that use the same weights begin with different pieces of them and go through the others in
// turn, so that not all read one memory at a time.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// The piece of `pieces` that the part begins with; groups of cores (Hardware::load_group()) in turn.
std::size_t first_weight_piece(const Plan& plan, OperatorId op, std::size_t item, std::size_t pieces);

}  // namespace tilewright
