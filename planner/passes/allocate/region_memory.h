// Addresses of tensors, region by region of DRAM.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Gives every piece, which has its region, an address there, or in the emptiest region when its own is full.
//
// Tensors lie apart as long as there is room, less a sixteenth for instructions: then nobody waits for memory. Else, or
// if the options say so, hidden tensors share memory: inputs, constants and outputs lie below, and above them hidden
// ones, largest first, each at the lowest addresses that are free while it is needed (lifetime.h). UserError naming the
// first tensor without room.
void assign_addresses(Plan& plan);

}  // namespace tilewright
