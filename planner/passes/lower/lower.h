// needs:      split, tile, place
// does:       turns every part of every operator into the instructions of its core
// guarantees: every work item has instructions, in a legal sequential order, without tokens
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void lower(Plan& plan);
void verify_lower(const Plan& plan);

// The instructions of work item `item`, one function per family of operators.
std::vector<Instruction> lower_contraction(const Plan& plan, OperatorId id, std::size_t item);
std::vector<Instruction> lower_elementwise(const Plan& plan, OperatorId id, std::size_t item);
std::vector<Instruction> lower_rows(const Plan& plan, OperatorId id, std::size_t item);    // softmax, layer norm
std::vector<Instruction> lower_reduce(const Plan& plan, OperatorId id, std::size_t item);  // mean
std::vector<Instruction> lower_pool(const Plan& plan, OperatorId id, std::size_t item);
std::vector<Instruction> lower_movement(const Plan& plan, OperatorId id, std::size_t item);  // transpose, concat ...

}  // namespace tilewright
