// A study as a Slurm job array of slices.
#include <algorithm>

#include "cli/array_job.h"
#include "cli/explore.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/program_path.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::vector<int> open_slices(const StudyFolder& folder, int slices) {
  const OpenWork work = open_work(folder.study(), folder.load());
  std::vector<int> open;
  for (int i = 1; i <= slices; ++i)
    if (!slice_of(work, {i, slices}).empty()) open.push_back(i);
  return open;
}

ArrayJob job_of(const ExploreCommand& command, const StudyFolder& folder) {
  ArrayJob job{.name = folder.study().name, .slices = command.slices, .cpus_per_task = command.jobs};
  job.command = {program_path(), "explore",       command.study, "--output",
                 command.output, "--jobs",        std::to_string(command.jobs),
                 "--slice",      kSliceOfArray};
  job.folder = command.output + "/slurm";
  job.options = command.slurm_options;
  return job;
}

// Workloads measured so far: grows in every round.
std::int64_t measurements(const PointResults& results) {
  std::int64_t count = 0;
  for (const auto& [point, result] : results)
    count += static_cast<std::int64_t>(std::max<std::size_t>(1, result.workloads.size()));
  return count;
}

}  // namespace

bool explore_on_slurm(const ExploreCommand& command, const StudyFolder& folder) {
  const std::int64_t points = static_cast<std::int64_t>(drawn_points(folder.study()).size());
  Progress progress(folder.study().name, "points", points);
  progress.start_at(static_cast<std::int64_t>(folder.load().size()));
  ArrayWork work;
  work.open_slices = [&] { return open_slices(folder, command.slices); };
  work.done = [&] {
    const PointResults results = folder.load();
    progress.update(static_cast<std::int64_t>(results.size()));
    return measurements(results);
  };
  work.interrupted = interrupted;
  return run_array_job(job_of(command, folder), work);
}

}  // namespace tilewright
