// Partial results of a reduction by name: O1, O2 ... are the parts' products, the sums in the clusters follow, the last
// one is the result.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

// What the core of a part makes of them and where it leaves them, a line each; empty where nothing is reduced.
std::string partial_text(const Plan& plan, OperatorId op, std::size_t item);

}  // namespace tilewright
