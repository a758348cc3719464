// Tiling of one core's GEMM or convolution from closed formulas, without search (docs: the tiling method).
#pragma once

#include "planner/ir/tiling_limits.h"

namespace tilewright {

// The formulas alone, rounded down to integers of at least 1; may exceed a capacity.
Tiling tiling_formulas(const GemmShape& shape, const TilingLimits& limits);

// The nearest tiling that check_tiling() accepts. UserError naming the limit when there is none.
Tiling legalise(Tiling tiling, const GemmShape& shape, const TilingLimits& limits);

// legalise(tiling_formulas()).
Tiling closed_form(const GemmShape& shape, const TilingLimits& limits);

}  // namespace tilewright
