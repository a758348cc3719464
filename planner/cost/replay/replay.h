// Predicts how long a program takes by replaying it on queues: every core's streams in order with their tokens, flags
// and barriers, every memory request through the ports of its cluster and its channel, cluster caches and DRAM.
//
// Units compute as long as they do on the simulated chip, and requests are cut as there. What is left out is what costs
// a simulation most of its time: flits that compete inside routers, and the commands of DRAM (planner/cost/replay/*.h).
#pragma once

#include "sim/hw/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Core clocks from launch to the last completion and the last byte in DRAM. The program must be legal
// (sim/isa/verify.h).
double replayed_cycles(const Hardware& hardware, const Program& program);

}  // namespace tilewright
