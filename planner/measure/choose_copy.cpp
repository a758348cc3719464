#include "planner/measure/choose_copy.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "planner/constants/constants.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/passes/copy/copy_program.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

CopyWay predicted(const Hardware& hardware, CopyJob job) {
  CopyWay way{{}, std::numeric_limits<double>::infinity()};
  for (const CopyTiling& tiling : copy_tilings()) {
    for (CopyPass& pass : job.passes) pass.tiling = tiling;
    const double cycles = queue_model_cycles(hardware, make_copy_program(hardware, job).program);
    if (cycles >= way.predicted) continue;
    way = {job, cycles};
  }
  return way;
}

// Ways over other tensors need room for these.
std::optional<CopyWay> predicted_if_room(const Hardware& hardware, const CopyJob& job) {
  try {
    return predicted(hardware, job);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<CopyWay> predicted_ways(const Hardware& hardware, const TracedCopy& copy) {
  const std::vector<CopyJob> jobs = copy_ways(copy);
  std::vector<CopyWay> ways{predicted(hardware, jobs.front())};
  for (std::size_t i = 1; i < jobs.size(); ++i)
    if (auto way = predicted_if_room(hardware, jobs[i])) ways.push_back(std::move(*way));
  std::stable_sort(ways.begin(), ways.end(),
                   [](const CopyWay& a, const CopyWay& b) { return a.predicted < b.predicted; });
  return ways;
}

std::vector<CopyWay> worth_a_run(std::vector<CopyWay> ways) {
  const double most = ways.front().predicted * (1 + constants().copy_way_margin);
  std::erase_if(ways, [&](const CopyWay& way) { return way.predicted > most; });
  return ways;
}

}  // namespace tilewright
