// Which way a copy goes: direct, in two passes or in three, by the time that the queue model predicts for each.
#pragma once

#include <vector>

#include "planner/emit/copy/copy_job.h"

namespace tilewright {

struct CopyWay {
  CopyJob job;
  double predicted = 0;  // core clocks, with the fastest of copy_tilings()
};

// The ways of copy_ways() that the chip has room for, the one predicted fastest first; of equal ones that of fewer
// passes. UserError when the direct way cannot be planned or has no room.
std::vector<CopyWay> predicted_ways(const Hardware& hardware, const TracedCopy& copy);

// Those of `ways` that may be the fastest: what predictions differ by less than constants().copy_way_margin says
// nothing about, so that only a run can tell.
std::vector<CopyWay> worth_a_run(std::vector<CopyWay> ways);

}  // namespace tilewright
