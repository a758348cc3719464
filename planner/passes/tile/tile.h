// needs:      split
// does:       chooses a tiling for every part of every matmul and convolution by the closed formulas
// guarantees: every tiling satisfies check_tiling() within its limits
#pragma once

#include "planner/passes/lower/contraction.h"
#include "planner/passes/plan.h"
#include "planner/passes/tile/predict.h"

namespace tilewright {

void tile(Plan& plan);
void verify_tile(const Plan& plan);

// What one core of the chip offers to a part of `op`.
TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part);

// What the prediction (predict.h) needs of a part, `cores` of them at work. It refers to the plan's hardware and to
// `part`.
PredictionInput prediction_input(const Plan& plan, const Operator& op, const Contraction& part, std::size_t cores);

}  // namespace tilewright
