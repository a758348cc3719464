// A study as a Slurm job array of slices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/array_job.h"
#include "cli/explore/explore.h"
#include "cli/process_limits.h"
#include "cli/progress.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

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
  job.command = limited_program();
  job.command.insert(job.command.end(),
                     {"explore", command.study, "--output", command.output, "--jobs", std::to_string(command.jobs),
                      "--point-seconds", fmt::format("{}", command.point_seconds), "--point-memory",
                      fmt::format("{}", command.point_gib), "--slice", kSliceOfArray});
  job.folder = command.output + "/slurm";
  job.options = command.slurm_options;
  return job;
}

// Points measured in all rounds so far.
std::int64_t measured_points(const Study& study, const PointResults& results) {
  if (rounds_of(study) == 1) return static_cast<std::int64_t>(results.size());
  std::int64_t count = 0;
  for (const auto& [point, result] : results)
    count += static_cast<std::int64_t>(std::max<std::size_t>(1, result.workloads.size()));
  return count;
}

// The same at the end; less when points turn out illegal.
std::int64_t most_points(const Study& study) {
  auto in_round = static_cast<double>(drawn_points(study).size());
  double sum = 0;
  for (int round = 0; round < rounds_of(study); ++round, in_round = std::ceil(in_round * study.keep)) sum += in_round;
  return static_cast<std::int64_t>(sum);
}

}  // namespace

void explore_on_slurm(const ExploreCommand& command, const StudyFolder& folder) {
  end_interrupted_work_myself();
  const Study& study = folder.study();
  Progress progress(study.name, "points", most_points(study));
  progress.start_at(measured_points(study, folder.load()));
  SlicedWork work;
  work.open_slices = [&] { return open_slices(folder, command.slices); };
  work.done = [&] {
    const std::int64_t points = measured_points(study, folder.load());
    progress.update(points);
    return points;
  };
  work.interrupted = interrupted;
  if (!run_array_job(job_of(command, folder), work)) check_stop();
}

}  // namespace tilewright
