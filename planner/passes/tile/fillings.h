// Where refinement starts besides the formulas' own tiling: partitions of C that fill the accumulate buffer and
// narrower ones, over as much of K at a time as the input buffers hold.
#pragma once

#include <vector>

#include "planner/estimate/tiling_time.h"

namespace tilewright {

// `value` cut in two, up to whole blocks; itself where it is one block or less.
std::int64_t half(std::int64_t value, std::int64_t block);

// Legal ones only; loop orders and the held operand as those of `like`. The latter have more sums than the accumulate
// buffer holds (ir/spill.h).
std::vector<Tiling> fillings(const Tiling& like, const PredictionInput& input);
std::vector<Tiling> spilled_fillings(const Tiling& like, const PredictionInput& input);

}  // namespace tilewright
