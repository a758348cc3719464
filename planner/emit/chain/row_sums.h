// The sums of a softmax's rows as products of the rows with a one: the array adds them up where the vector unit has
// more to do with a block of scores than the array has.
#pragma once

#include <array>

#include "planner/emit/chain/chain.h"
#include "planner/emit/chunk.h"

namespace tilewright {

// sums[row] (+)= the elements of that row of `rows`, in buffer A, of `extents` rows and columns. `one`: in buffer B, in
// the type of the rows; `sums`: in the accumulate buffer, in fp32, one behind the other.
Matmul row_sums(const ArrayView& rows, const std::array<std::int64_t, 2>& extents, Address one, Address sums,
                bool accumulate);

// Multiply-adds of such sums in all groups of the plan.
std::int64_t macs_of_row_sums(const Plan& plan);

}  // namespace tilewright
