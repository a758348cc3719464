// The table of strategies: what it says of an operator's operands in the plan's mode; planner/ir/strategy.h reads it.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

const StrategyTable& strategies_of(const Plan& plan);

// The first row about a dimension of input `input`, and of the output; null: none.
const StrategyRow* row_for(const Plan& plan, const Operator& op, std::size_t input, std::size_t dimension);
const StrategyRow* output_row(const Plan& plan, const Operator& op, char dimension);

// strategies.yaml, put into the program by CMake: it needs no file beside it at run time.
extern const char* const kDefaultStrategies;

}  // namespace tilewright
