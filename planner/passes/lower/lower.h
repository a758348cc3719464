// needs:      split, tile, place
// does:       turns every part of every operator into the instructions of its core
// guarantees: every work item has instructions, in a legal sequential order, without tokens
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void lower(Plan& plan);
void verify_lower(const Plan& plan);

// Operators of the program are those of the graph, one further: 0 is "none".
inline std::uint16_t program_operator(OperatorId id) { return static_cast<std::uint16_t>(id + 1); }

// The instructions of work item `item`, one function per family of operators.
std::vector<Instruction> lower_contraction(const Plan& plan, OperatorId id, std::size_t item);
std::vector<Instruction> lower_elementwise(const Plan& plan, OperatorId id, std::size_t item);
std::vector<Instruction> lower_rows(const Plan& plan, OperatorId id, std::size_t item);    // softmax, layer norm
std::vector<Instruction> lower_reduce(const Plan& plan, OperatorId id, std::size_t item);  // mean
std::vector<Instruction> lower_pool(const Plan& plan, OperatorId id, std::size_t item);
std::vector<Instruction> lower_movement(const Plan& plan, OperatorId id, std::size_t item);  // transpose, concat ...

// Loads that may run ahead of the step that needs them: half the queue in front of a unit, so that the loads never keep
// the instructions behind them from being dispatched.
inline int load_lookahead(const Hardware& hardware) { return std::max(1, hardware.core.control.unit_queue / 2); }

// Whether loads of an input are worth keeping in the cluster's cache: other cores of the cluster read them too. What
// one core reads alone only drives shared lines out.
bool worth_caching(const Plan& plan, OperatorId id, std::size_t item, std::size_t input);

}  // namespace tilewright
