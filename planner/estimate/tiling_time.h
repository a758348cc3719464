// How long one core should take for its part of a contraction with a given tiling: from array times and bandwidths
// alone, without simulation. A prediction: good for telling tilings of one part apart, never reported as a cost.
#pragma once

#include "planner/estimate/contraction_unit.h"
#include "planner/ir/contraction.h"
#include "planner/ir/plan.h"
#include "planner/ir/tiling_limits.h"

namespace tilewright {

// What the prediction needs besides the tiling.
struct PredictionInput {
  const Hardware& hardware;
  const Contraction& part;
  TilingLimits limits;
  DataType type = DataType::kBf16;
  int cores = 1;                   // that work at the same time
  std::int64_t vector_passes = 1;  // over the lanes, per result behind the product
  // Elements from one row to the next in memory: of A, of B (0: partitions lie by themselves).
  std::int64_t pitch_of_a = 0, pitch_of_b = 0;
  UnitOptions units;          // that compute the multiply-adds
  bool image_blocks = false;  // PlanOptions::image_blocks
};

// Core clocks from the first load to the last store: the wait for the first operands, the longest of array, memory and
// vector unit, and what the last tile leaves behind. `tiling` satisfies check_tiling().
double predicted_cycles(const PredictionInput& input, const Tiling& tiling);

// What a core offers to a part of `op`: one as the plan counts on, or `core`.
TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part);
TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part, const CoreSpec& core);

// What the prediction (predicted_cycles()) needs of a part, `cores` of them at work. It refers to the plan's hardware
// and to `part`.
PredictionInput prediction_input(const Plan& plan, const Operator& op, const Contraction& part, std::size_t cores);

}  // namespace tilewright
