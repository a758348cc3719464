// What the time of one transfer goes to.
#pragma once

#include "sim/base/cause.h"
#include "sim/hw/config/hardware.h"
#include "sim/machine/stall/program_order.h"

namespace tilewright {

// Charges [from, to) of the transfer at `place` to `spent`. Its start comes first: the engine's setup, then, unless
// earlier transfers of its stream still kept memory busy, what one request takes when nothing is in its way. The rest
// is shared out by where requests waited for others. Where they waited for nobody, more of them could have been under
// way: then it is the time of a single one that counts.
void charge_transfer(const ProgramOrder& order, const Hardware& hardware, ProgramPlace place, Picoseconds from,
                     Picoseconds to, CauseTimes& spent);

}  // namespace tilewright
