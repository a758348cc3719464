// Operators with an element operand, as residual additions: part of the product or convolution before them or by
// themselves.
#pragma once

#include <optional>

#include "planner/ir/plan.h"

namespace tilewright {

// The options of a finished plan with all of them taken into what stands before them, or none of those that no group
// computes; every operator that stays as it is is run as it was. Nothing: so it is already.
std::optional<PlanOptions> with_element_operands(const Graph& graph, const Plan& plan, bool taken);

}  // namespace tilewright
