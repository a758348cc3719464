// needs:      lower
// does:       joins the operators' instructions in execution order into one program per core, with its segments
// guarantees: the program is legal on the chip (sim/isa/verify.h)
//
// Two operators never overlap: between them each core waits until its own streams are done, and all cores wait for each
// other where one reads what another wrote. order_between() is where that is decided.
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void link(Plan& plan);
void verify_link(const Plan& plan);

// Name of the segment of one piece of a tensor: the tensor's own when it has just one.
std::string piece_name(const std::string& tensor, const TensorPlan& placed, std::size_t piece);

enum class Ordering { kLocal, kChip };
// What must lie between the operators before `id` and `id`, when the chip's last barrier came before position `since`
// of plan.order: kChip when a core reads what another wrote since then.
Ordering order_between(const Plan& plan, OperatorId id, std::size_t since);

}  // namespace tilewright
