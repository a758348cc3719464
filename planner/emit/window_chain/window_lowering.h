// The instructions of one core for its part of a group of windows. While the vector unit finishes one step's rows, the
// matmul unit computes others: each step runs one visit behind the step before it.
#pragma once

#include <limits>
#include <vector>

#include "planner/emit/window_chain/window_chain.h"

namespace tilewright {

// `item`: the part of every member's split that belongs to this core. `visits`: only so many of the first, for
// predictions. InternalError when blocks of `rows` rows do not fit.
std::vector<Instruction> lower_windows(const Plan& plan, const OperatorGroup& group, std::size_t item,
                                       std::int64_t rows, std::size_t visits = std::numeric_limits<std::size_t>::max());

}  // namespace tilewright
