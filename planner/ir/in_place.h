// Concatenations that nothing is moved for: their inputs are written where the result has them.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Whether the operator is such a concatenation: each input is one run of the result's memory, is made by this program
// and is part of no other result.
bool joins_in_place(const Plan& plan, const Operator& op);

// Position of input `index` along the axis of a concatenation.
std::int64_t first_of_input(const Graph& graph, const Operator& concat, std::size_t index);

// The operators whose instructions write what is read as `tensor`; none for what lies there before the run.
std::vector<OperatorId> writers_of(const Plan& plan, TensorId tensor);

}  // namespace tilewright
