// What can be minimised on a chip.
#pragma once

#include "planner/ir/objective.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// UserError naming --objective where it asks for energy and the chip's file gives none: every cost would be 0.
void check_objective(const Hardware& hardware, Objective objective);

}  // namespace tilewright
