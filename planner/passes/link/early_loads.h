// Loads in front of those of earlier operators that wait for other cores.
//
// Loads of a core run in order, so one that waits for a barrier or for another core's signal holds up all behind it,
// while DRAM may have nothing to do. In front of each go loads of later operators that nothing has to be waited for
// (constants, results from before that barrier), where their places in the buffers are free by then: as many bytes as
// the core gets in the time that such a wait takes, the last of these loads cut in two for it.
#pragma once

#include <vector>

#include "sim/isa/instruction.h"

namespace tilewright {

// An instruction of a core in plain order, without tokens.
struct PlainInstruction {
  Instruction instruction;
  int turn = 0;      // of its operator on the core: 0, 1, ...
  int barrier = -1;  // number of the barrier that it is, or that a load must come behind; -1: none
};

// The same instructions in a better order of the same effect, `bytes` at most in front of each load that waits. Parts
// of a load that is cut in two are as long as a request of `request` bytes at least.
std::vector<PlainInstruction> with_early_loads(std::vector<PlainInstruction> plain, Bytes bytes, Bytes request);

}  // namespace tilewright
