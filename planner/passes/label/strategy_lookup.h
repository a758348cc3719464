// What the strategies say of an operator's operands in the plan's mode.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

const StrategyTable& strategies_of(const Plan& plan);

// The first row about a dimension of input `input`, and of the output; null: none.
const StrategyRow* row_for(const Plan& plan, const Operator& op, std::size_t input, std::size_t dimension);
const StrategyRow* output_row(const Plan& plan, const Operator& op, char dimension);

}  // namespace tilewright
