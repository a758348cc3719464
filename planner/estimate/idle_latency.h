// How long memory takes to answer when nothing else is under way, for predictions of operators that do little.
#pragma once

#include "sim/hw/config/hardware.h"

namespace tilewright {

// Core clocks from a core's request to its data: the descriptor of the transfer, a router each way, the DRAM
// controller, a row that is opened and one burst of it.
double idle_latency(const Hardware& hardware);

}  // namespace tilewright
