// Ways to run a product whose cores hand operands on (ir/hand_on.h): grids of equal parts, each in as few partitions as
// the accumulate buffer allows, with sums in few steps and in more. Every core begins with a step of its own, which all
// of them read from memory at once: shorter steps begin earlier, longer ones read memory in longer runs.
#pragma once

#include <vector>

#include "planner/search/tiling/tiling_measurer.h"

namespace tilewright {

// Choices of parts and tilings for the operator on `cores` of the chip, loop orders and held operand as those of
// `like`: those that formulas find faster than `most` core clocks, at most constants().hand_on_points, the fastest
// first. None without routers between cores, or where no grid cuts the operator into equal parts.
std::vector<OperatorChoice> hand_on_candidates(const TilingOperator& op, const Hardware& hardware,
                                               const PlanOptions& options, const Tiling& like, int cores, double most);

}  // namespace tilewright
