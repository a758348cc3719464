// needs:      a graph as folded and fused
// does:       labels every tensor, brings constants into the form the chip reads, sets all types, and cuts every
//             operator's operands by the strategies
// guarantees: every operator but renamings has a label per operand; ranges of a split are consecutive and cover their
//             dimension
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void label(Plan& plan);
void verify_label(const Plan& plan);

// Kinds of operators in the plan that no row of the strategies is about: their splits are derived from the operator.
std::vector<OpKind> derived_strategies(const Plan& plan);

}  // namespace tilewright
