// The instructions of one core for its part of a group. While the vector unit works on the scores of one block, the
// matmul unit computes those of the next: each step behind the chain's head runs one visit behind the step before it.
#pragma once

#include <vector>

#include "planner/emit/chain/chain.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// `item`: the part of every member's split that belongs to this core. InternalError when the blocks do not fit.
std::vector<Instruction> lower_chain(const Plan& plan, const OperatorGroup& group, std::size_t item,
                                     const ChainBlocks& blocks);

}  // namespace tilewright
