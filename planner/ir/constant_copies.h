// Copies of constants next to the cores that read them (passes/replicate).
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Bytes of DRAM that copies take.
Bytes copied_bytes(const Plan& plan);

// Takes back all copies of one constant, the one whose copies take most: whoever read them reads the constant itself.
// Returns whether there was one. Needs a linked program.
bool take_back_largest_copies(Plan& plan);

}  // namespace tilewright
