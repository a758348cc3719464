// The product of one tile on the vector unit: of a grouped convolution sums of input times weight over windows, the
// lanes along the results of many groups; of a matrix product of few rows sums along K, the lanes along its columns.
#pragma once

#include <vector>

#include "planner/ir/contraction.h"

namespace tilewright {

// What `part`.matmul() of batches 0..`batches` computes of the operands loaded at `a_address` and `b_address`, as
// multiply_add instructions: one for each image, row of a group and channel of a group. With `accumulate` they add to
// what is in C, else they overwrite it.
std::vector<Vector> window_sums(const Contraction& part, const OperandBox& a, Address a_address, const OperandBox& b,
                                Address b_address, const Columns& columns, std::int64_t batches, Address c_address,
                                bool accumulate);

}  // namespace tilewright
