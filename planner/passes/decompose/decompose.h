// needs:      fuse
// does:       replaces operators whose data exceed a threshold by several on parts of it, a Slice in front of each part
//             where an operand is decomposed too, and a Concat behind them
// guarantees: every operator that can be decomposed fits, or is down to one element of every dimension it is decomposed
// by
//
// Decomposed, in this order, are: of a convolution the images, then the output channels; of a matrix product the
// batches, then the rows, then the columns; of pools images and channels, never rows or columns of an image; of a
// transposition the dimensions that stay in their place; of everything else the outermost dimension, never one it
// reduces over. Operators that only pick or join elements are left as they are.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void decompose(Plan& plan);
void verify_decompose(const Plan& plan);

// Bytes of an operator's inputs, parameters and output in the type of the plan.
Bytes data_of(const Plan& plan, const Operator& op);

// The memory of the chip less a sixteenth, which is kept for instructions and alignment, or what the options say.
Bytes decompose_threshold(const Plan& plan);

}  // namespace tilewright
