// tilewright explore STUDY -o DIR: measures the chips of a design-space study.
#include "cli/explore/explore.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/explore/pool.h"
#include "cli/progress.h"
#include "cli/shipped.h"
#include "cli/tell.h"
#include "cli/workload_options.h"
#include "planner/measure/simulator_version.h"
#include "planner/measure/worker_pool.h"
#include "planner/report/study/study_results.h"
#include "planner/search/study/study_read.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

std::string settings_text(const Study& study, std::int64_t point) {
  std::string text;
  for (const Setting& setting : settings_of(study, point)) text += fmt::format("  {}={}", setting.key, setting.value);
  return text;
}

// First, middle and last.
std::vector<std::int64_t> sample_of(const std::vector<std::int64_t>& points) {
  if (points.size() < 3) return points;
  return {points.front(), points[points.size() / 2], points.back()};
}

// What of a sample is measured for an estimate: no further point once this has taken so long.
constexpr std::chrono::seconds kEstimateTime{10};

struct Estimate {
  double seconds = 0;  // of one process
  int measured = 0;    // points, of all rounds
};

// From the mean time of the points of each round that were measured.
Estimate estimate_of(const Study& study, const std::vector<std::int64_t>& points, const WorkerLimits& limits) {
  using Clock = std::chrono::steady_clock;
  Estimate estimate;
  const std::vector<std::int64_t> sample = sample_of(points);
  double in_round = static_cast<double>(points.size());
  PointPool pool(study, 1, limits);
  for (int round = 0; round < rounds_of(study); ++round) {
    const auto begin = Clock::now();
    int measured = 0;
    for (const std::int64_t point : sample) {
      if (measured > 0 && Clock::now() - begin > kEstimateTime) break;
      pool.measure(queries_of(study, round, {point}), [](const PointResult&) {});
      ++measured;
    }
    const std::chrono::duration<double> taken = Clock::now() - begin;
    estimate.seconds += taken.count() / measured * in_round;
    estimate.measured += measured;
    in_round *= study.keep;
  }
  return estimate;
}

// Prints what a study would measure and an estimate of how long it takes, from a few points measured now.
void print_dry_run(const ExploreCommand& command, const Study& study) {
  const std::vector<std::int64_t> points = drawn_points(study);
  for (const std::int64_t point : points) fmt::print("{:>8}{}\n", point, settings_text(study, point));
  fmt::print("{} of {} points of the grid, {} workload{}, {} round{}\n", points.size(), grid_size(study),
             study.workloads.size(), study.workloads.size() == 1 ? "" : "s", rounds_of(study),
             rounds_of(study) == 1 ? "" : "s");
  const Estimate estimate = estimate_of(study, points, command.limits());
  fmt::print("Estimated time: {} with {} process{}, from {} measurement{} made now\n",
             duration_text(estimate.seconds / command.jobs), command.jobs, command.jobs == 1 ? "" : "es",
             estimate.measured, estimate.measured == 1 ? "" : "s");
}

int write_point(const ExploreCommand& command, const Study& study) {
  if (command.point >= grid_size(study))
    throw UserError("--point", fmt::format("got {}, expected 0 to {}", command.point, grid_size(study) - 1));
  if (command.write_hardware.empty()) {
    fmt::print("{}", hardware_text_of(study, command.point));
  } else {
    write_text_file(command.write_hardware, hardware_text_of(study, command.point));
    for (const std::string& line : commands_of(study, command.point))
      if (line.starts_with("tilewright run")) fmt::print("{}\n", line);
  }
  return 0;
}

// Writes the results when nothing is left to do. Exit code.
int finish(const StudyFolder& folder) {
  const PointResults results = folder.load();
  const OpenWork work = open_work(folder.study(), results);
  if (!work.open.empty()) {
    fmt::print("{} of {} points are left to other slices; tilewright merge {} collects when all are done\n",
               work.open.size(), work.all.size(), folder.path());
    return 0;
  }
  write_study_results(folder.path(), folder.study(), results);
  fmt::print("{}Results: {}/results.json, results.csv\n", study_text(folder.study(), results), folder.path());
  return 0;
}

int explore(ExploreCommand command) {
  const Study study = load_study(command.study);
  if (command.point >= 0) return write_point(command, study);
  if (command.jobs == 0) command.jobs = default_jobs();
  if (command.dry_run) {
    print_dry_run(command, study);
    return 0;
  }
  if (command.output.empty()) throw UserError("--output", "missing, expected a folder for the results");
  check_engine(command);
  const StudyFolder folder(command.output, study, simulator_version());
  for (const std::string& fault : folder.drop_damaged()) tell("{}; its point is measured again\n", fault);
  if (command.retry_failed) folder.drop(PointStatus::kFailed);
  resumable([&] { command.is_slurm() ? explore_on_slurm(command, folder) : explore_locally(command, folder); });
  return finish(folder);
}

}  // namespace

void add_explore_command(CLI::App& app, int& result) {
  auto command = std::make_shared<ExploreCommand>();
  CLI::App* sub = app.add_subcommand("explore", "Measure the chips of a design-space study and find the best ones");
  add_file_argument(*sub, Shipped::kStudy, command->study)->required();
  sub->add_option("-o,--output", command->output, "folder of the results; an unfinished study there goes on")
      ->type_name("DIR");
  sub->add_option("--jobs", command->jobs, "worker processes; without it one per core of this machine")
      ->check(CLI::Range(1, 1024));
  add_engine_options(*sub, *command, "point");
  sub->add_option("--point-seconds", command->point_seconds, "a point that takes longer has failed; 0: no limit")
      ->check(CLI::Range(0.0, 1e9));
  sub->add_option("--point-memory", command->point_gib, "a point that needs more GiB has failed; 0: no limit")
      ->type_name("GIB")
      ->check(CLI::Range(0.0, 1e6));
  sub->add_flag("--retry-failed", command->retry_failed, "measure points that failed before again");
  sub->add_flag("--dry-run", command->dry_run, "print the points and the estimated time");
  CLI::Option* point = sub->add_option("--point", command->point, "only print the hardware file of this point")
                           ->check(CLI::NonNegativeNumber);
  sub->add_option("--write-hardware", command->write_hardware, "write it to a file instead")
      ->type_name("FILE")
      ->needs(point);
  sub->callback([command, &result] { result = explore(*command); });
}

}  // namespace tilewright
