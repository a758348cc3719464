// The blocks of rows that groups (ir/group.h) are walked by, as tilings of their members.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void tile_group(Plan& plan, OperatorGroup& group);
void verify_group_tilings(const Plan& plan, const OperatorGroup& group);

}  // namespace tilewright
