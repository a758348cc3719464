// needs:      label
// does:       gives every operator's output to the cores in boxes as the labels cut it
// guarantees: the parts of an operator cover its output once (partial results of one box: its sum once), none is empty,
//             no core has two
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void split(Plan& plan);
void verify_split(const Plan& plan);

}  // namespace tilewright
