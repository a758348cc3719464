// From the orders of the parts to the order of the whole network, by the time of its linked program.
#pragma once

#include "planner/search/order/schedule.h"

namespace tilewright {

// Measures the network with every part as imported, at its best and at its worst; then, from the fastest of these,
// tries in each part in turn up to `tries` other of its fastest orders. Fills `imported`, `best`, `worst`, `linked`.
// The network is part `whole` of the timer. UserError with the reason when the chip has room for none.
void link_parts(Schedule& schedule, OrderTimer& timer, int whole, int tries);

}  // namespace tilewright
