// A tiling of the closed formulas made faster by steps whose effect the prediction (tiling_time.h) can see: streams
// long enough for the array, whole rows of a convolution that fill its blocks, first operands that arrive early.
#pragma once

#include "planner/estimate/tiling_time.h"

namespace tilewright {

// `tiling` itself, or the best that repeated steps reach, each a halved or grown partition or tile, the other operand
// held or the other inner loop order. The result satisfies check_tiling().
Tiling refine(const Tiling& tiling, const PredictionInput& input);

}  // namespace tilewright
