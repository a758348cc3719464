// What the parts of `tilewright explore` share: its arguments, and the two ways to have points measured.
#pragma once

#include <string>
#include <vector>

#include "cli/array_job.h"
#include "planner/measure/worker_pool.h"
#include "planner/report/study/study_folder.h"

namespace tilewright {

struct ExploreCommand : EngineOptions {
  std::string study, output, write_hardware;
  std::int64_t point = -1;
  int jobs = 0;
  bool dry_run = false, retry_failed = false;
  double point_seconds = WorkerLimits{}.seconds, point_gib = 16;

  WorkerLimits limits() const { return {point_seconds, static_cast<std::int64_t>(point_gib * (1 << 30))}; }
};

// Measures what is left of the slice in worker processes of this machine, round by round, as far as the other slices
// have come. Throws Stopped (sim/base/stop.h).
void explore_locally(const ExploreCommand& command, const StudyFolder& folder);

// The same from a Slurm job array of slices.
void explore_on_slurm(const ExploreCommand& command, const StudyFolder& folder);

}  // namespace tilewright
