// From a part of a planned operator to what the formulas and the predicted time of its tilings need.
#pragma once

#include "planner/estimate/tiling_time.h"
#include "planner/ir/plan.h"

namespace tilewright {

// What one core of the chip offers to a part of `op`.
TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part);

// What the prediction (predict.h) needs of a part, `cores` of them at work. It refers to the plan's hardware and to
// `part`.
PredictionInput prediction_input(const Plan& plan, const Operator& op, const Contraction& part, std::size_t cores);

}  // namespace tilewright
