// How far apart the rows of a tensor lie in memory.
//
// A few columns of many rows are a short run of each. Where rows are a multiple of all channels' interleave chunks long
// these runs lie in few channels: 256 bytes of every 8 KiB in one of eight. Rows that lie a chunk further apart begin
// in all channels in turn.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Bytes from the beginning of one row of `row` bytes to that of the next in one region: the least number of chunks that
// has no divisor in common with the region's channels. `row` itself where a hash spreads the rows or they are no whole
// chunks, and where that would take more than constants().row_gap_share of the row.
Bytes row_pitch(const DramSpec& dram, Bytes row);

// Whether inputs and results may have such gaps: memory is not short, or not known to be.
inline bool rows_may_lie_apart(const PlanOptions& options) { return options.row_gaps && options.program_memory == 0; }

// Elements from one row of `row` elements to the next, for predictions: as the pass `allocate` places them where they
// may lie apart and there is room.
std::int64_t pitch_of_rows(const Plan& plan, TensorId tensor, std::int64_t row);

}  // namespace tilewright
