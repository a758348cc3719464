// Which points a study measures, in which round, which of them belong to a slice; and of several vectors of figures
// those that no other one beats.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/measure/worker_pool.h"
#include "planner/search/study/study_result.h"

namespace tilewright {

using Figures = std::vector<double>;

// At least as small everywhere and smaller somewhere.
bool dominates(const Figures& a, const Figures& b);

// Non-dominated sorting (Deb et al., NSGA-II, 2002): 0 for the Pareto front, 1 for the front without it, and so on.
// Equal vectors are in the same front.
std::vector<int> front_of(const std::vector<Figures>& points);

// All points of the grid, or the drawn ones; ascending, each once.
std::vector<std::int64_t> drawn_points(const Study& study);

// A grid or a sample is measured in one round. Successive halving has a round per workload: each measures one workload
// more on the share `keep` of the points that came out best so far: by Pareto front, then by the product of the
// objectives.
int rounds_of(const Study& study);
// Workloads of the study that are measured at the end of a round.
std::size_t workloads_in_round(const Study& study, int round);

using PointResults = std::map<std::int64_t, PointResult>;

// What is left to do: the first round with points that are not done, and those points.
struct OpenWork {
  int round = 0;                        // rounds_of() when nothing is open
  std::vector<std::int64_t> all, open;  // points of the round; `open` is a part of `all`
};
OpenWork open_work(const Study& study, const PointResults& results);
// The points of `work.open` whose position in `work.all` belongs to the slice.
std::vector<std::int64_t> slice_of(const OpenWork& work, const Slice& slice);

}  // namespace tilewright
