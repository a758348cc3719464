// needs:      link
// does:       gives a constant that cores next to several memories read a copy in each of them, and has every core read
//             the one next to it
// guarantees: the program is legal on the chip (sim/isa/verify/verify.h)
//
// Constants are written once, before the run, so that copies cost memory and nothing else. A constant has all its
// copies or none, where memory is short; `pack` takes copies back that it has no room beside. There are none where
// reads of several clusters can be joined at a channel (NetworkSpec::multicast): one place is what lets them meet.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void replicate(Plan& plan);
void verify_replicate(const Plan& plan);

}  // namespace tilewright
