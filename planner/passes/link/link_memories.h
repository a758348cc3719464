// From the chip's map of addresses to the memories that instructions name.
#pragma once

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Transfers whose "dram" lies in the memory of a cluster name it: their own without a number, others by it.
void name_memories(Program& program, const Hardware& hardware);

}  // namespace tilewright
