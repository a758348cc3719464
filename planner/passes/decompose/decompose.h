// needs:      fuse
// does:       replaces operators whose data exceed a threshold by several on parts of it, a Slice in front of each part
//             where an operand is decomposed too, and a Concat behind them; neither moves anything (ir/in_place.h)
// guarantees: every operator that some cut makes fit does fit; what fits, what no cut makes fit, and what the options
//             have computed together, is left as it is
//
// Cut are, where it costs least (choose_cuts.h): of a convolution images and output channels, of a grouped one whole
// groups; of a matrix product batches, rows and columns; of pools images and channels, never rows or columns of an
// image; of a transposition the dimensions that stay in their place; of everything else any dimension that it does not
// reduce over. Operators that only pick or join elements are left as they are. A tensor between two operators that
// could never be there as a whole is cut by both alike (network_cuts.h): a part reads the part before it, right behind
// it.
#pragma once

#include "planner/passes/decompose/choose_cuts.h"

namespace tilewright {

void decompose(Plan& plan);
void verify_decompose(const Plan& plan);

// What the options say; else what inputs, constants and outputs of the network leave of the chip's DRAM, of which a
// share is kept for instructions and alignment.
PartLimit decompose_limit(const Plan& plan);

}  // namespace tilewright
