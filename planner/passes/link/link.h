// needs:      lower
// does:       joins the operators' instructions in execution order into one program per core, with its tokens, barriers
//             and segments
// guarantees: the program is legal on the chip (sim/isa/verify/verify.h)
//
// Operators of a core overlap: an instruction waits only for those that touch the same bytes (hazard_linker.h),
// operators lie apart in the buffers where there is room (link_areas.h), and only loads of what other cores wrote wait
// for all cores (link_barriers.h).
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void link(Plan& plan);
void verify_link(const Plan& plan);

}  // namespace tilewright
