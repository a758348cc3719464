// How the labels of an operator cut what it sums over.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Ranges of the reduction that the labels of an operator's inputs give; empty: it is not cut.
std::vector<Range> reduction_ranges(const Plan& plan, OperatorId op);

}  // namespace tilewright
