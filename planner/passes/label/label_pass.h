// needs:      a graph as folded and fused
// does:       labels every tensor, brings constants into the form the chip reads, sets all types, and cuts every
//             operator's operands by the strategies
// guarantees: every operator but renamings has a label per operand; ranges of a split are consecutive and cover their
//             dimension
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void label(Plan& plan);
void verify_label(const Plan& plan);

// Ranges of the reduction that the labels of an operator's inputs give; empty: it is not cut.
std::vector<Range> reduction_ranges(const Plan& plan, OperatorId op);

// Kinds of operators in the plan that no row of the strategies is about: their splits are derived from the operator.
std::vector<OpKind> derived_strategies(const Plan& plan);

}  // namespace tilewright
