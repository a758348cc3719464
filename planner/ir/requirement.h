// What an operator must read to compute a part of its output.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// The smallest box of input `index` that holds everything `output` depends on. Epilogue operands follow the inputs.
BoxRange required_input(const Plan& plan, const Operator& op, std::size_t index, const BoxRange& output);
// As above for a part that may be a partial result.
BoxRange required_input(const Plan& plan, const Operator& op, std::size_t index, const WorkItem& item);

BoxRange whole_box(const Shape& shape);
bool overlap(const BoxRange& a, const BoxRange& b);

// Inputs of the operator, then the operands of its epilogues.
std::vector<TensorId> all_inputs(const Operator& op);

}  // namespace tilewright
