// Output columns of a convolution that are computed abreast, where it has fewer filters than the array has columns: the
// filters stand in the array several times, each time a stride of the window further to the right and with zeros
// around, and the window that they share steps over as many outputs. Fewer steps, of a longer sum: what compilers for
// large arrays do by rewriting a convolution with space-to-depth (XLA's convolution passes), here without moving a
// tensor.
#pragma once

#include "planner/ir/tiling_limits.h"
#include "sim/hw/timing/array_time.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// Whether `count` columns of every tile can be computed abreast.
bool may_be_abreast(const Tiling& tiling, const GemmShape& shape, std::int64_t count);

// A sum over `k`, of the window that `count` outputs abreast share.
std::int64_t shared_sum(const ConvShape& conv, std::int64_t k, std::int64_t count);

// How many columns abreast make the products and the loads of the repeated filters shortest, of those that fit into
// buffer A; 1 where `limits` has no array. Products that are done before all else is moved need be no shorter.
std::int64_t best_abreast(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// The tile of outputs that `work` is, each row of them `columns` long, as the array sees it.
ArrayWork abreast(ArrayWork work, const ConvShape& conv, std::int64_t columns, std::int64_t count);
// The instruction `one` of a convolution, whose filters lie at its operand A `count` times, `copy` bytes from one time
// to the next, each as wide as the window that they share.
Matmul abreast(Matmul one, const ConvShape& conv, std::int64_t count, Bytes copy);

}  // namespace tilewright
