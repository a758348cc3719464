// What a study would measure, and how long that takes.
#include <fmt/format.h>

#include <chrono>

#include "cli/explore/explore.h"
#include "cli/explore/pool.h"
#include "cli/progress.h"
#include "sim/base/error.h"

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

// Seconds of one process, from the sample's mean time in each round.
double estimated_seconds(const Study& study, const std::vector<std::int64_t>& points) {
  const std::vector<std::int64_t> sample = sample_of(points);
  double seconds = 0, in_round = static_cast<double>(points.size());
  PointPool pool(study, 1);
  for (int round = 0; round < rounds_of(study); ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string crashed = pool.measure(queries_of(study, round, sample), [](const PointResult&) {});
    SIM_CHECK(crashed.empty(), "a worker died: {}", crashed);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds += taken.count() / static_cast<double>(sample.size()) * in_round;
    in_round *= study.keep;
  }
  return seconds;
}

}  // namespace

void print_dry_run(const ExploreCommand& command, const Study& study) {
  const std::vector<std::int64_t> points = drawn_points(study);
  for (const std::int64_t point : points) fmt::print("{:>8}{}\n", point, settings_text(study, point));
  fmt::print("{} of {} points of the grid, {} workload{}, {} round{}\n", points.size(), grid_size(study),
             study.workloads.size(), study.workloads.size() == 1 ? "" : "s", rounds_of(study),
             rounds_of(study) == 1 ? "" : "s");
  const double seconds = estimated_seconds(study, points) / command.jobs;
  fmt::print("Estimated time: {} with {} processes, from {} points measured now\n", duration_text(seconds),
             command.jobs, sample_of(points).size());
}

}  // namespace tilewright
