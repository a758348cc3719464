// The points of a slice, measured by worker processes of this machine.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "cli/explore/explore.h"
#include "cli/explore/pool.h"
#include "cli/progress.h"
#include "cli/tell.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using Wall = std::chrono::steady_clock;

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string label_of(const Study& study, int round) {
  return rounds_of(study) == 1 ? study.name
                               : fmt::format("{}, round {} of {}", study.name, round + 1, rounds_of(study));
}

// Measures the points of one round.
void measure_round(PointPool& pool, const StudyFolder& folder, const PointResults& results, int round,
                   const std::vector<std::int64_t>& points) {
  const Study& study = folder.study();
  Progress progress(label_of(study, round), "points", static_cast<std::int64_t>(points.size()));
  std::int64_t done = 0;
  pool.measure(queries_of(study, round, points), [&](PointResult fresh) {
    const auto earlier = results.find(fresh.point);
    folder.save(joined(study, earlier == results.end() ? nullptr : &earlier->second, std::move(fresh)));
    progress.update(++done);
  });
}

void print_rate(std::int64_t points, Wall::time_point begin) {
  const double wall = std::chrono::duration<double>(Wall::now() - begin).count(),
               cpu = cpu_seconds(RUSAGE_CHILDREN) + cpu_seconds(RUSAGE_SELF);
  if (points > 0)
    tell("{} points in {:.1f} s and {:.1f} CPU seconds: {:.2f} points per CPU second\n", points, wall, cpu,
         static_cast<double>(points) / cpu);
}

}  // namespace

void explore_locally(const ExploreCommand& command, const StudyFolder& folder) {
  const Study& study = folder.study();
  const Slice slice = parse_slice(command.slice);
  const Wall::time_point begin = Wall::now();
  std::int64_t measured = 0;
  {
    PointPool pool(study, command.jobs, command.limits());
    while (true) {
      const PointResults results = folder.load();
      const OpenWork work = open_work(study, results);
      const std::vector<std::int64_t> mine = slice_of(work, slice);
      if (mine.empty()) break;
      measure_round(pool, folder, results, work.round, mine);
      measured += static_cast<std::int64_t>(mine.size());
    }
  }
  print_rate(measured, begin);
}

}  // namespace tilewright
