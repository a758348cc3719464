// needs:      link
// does:       lays out DRAM again: for each core one packet with its instructions and constants, the rest behind; moves
//             every address in the program; takes back copies of constants (ir/constant_copies.h) while there is no
//             room
// guarantees: a packet is one run of addresses; the program is legal on the chip (sim/isa/verify/verify.h)
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void pack(Plan& plan);
void verify_pack(const Plan& plan);

// Entries one behind the other from 0 on, each at a multiple of `alignment`; returns the total, the last one's end.
Bytes set_offsets(std::vector<PacketEntry>& entries, Bytes alignment);

}  // namespace tilewright
