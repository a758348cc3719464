// One pass over a tiling space: filters, then bounds; what may be worth a measurement, best bound first.
#pragma once

#include <vector>

#include "planner/search/tiling/tiling_space.h"

namespace tilewright {

struct TilingCandidate {
  double bound = 0;  // of the objective
  double work = 0;   // TilingBound::work
  std::int64_t number = 0;
  auto operator<=>(const TilingCandidate&) const = default;
};

struct TilingScan {
  std::vector<TilingCandidate> candidates;  // ascending
  FilterCounts removed{};
  std::int64_t bounds = 0;   // computed
  std::int64_t dropped = 0;  // candidates beyond the most that were asked for
};

// `limit`: what a candidate's bound must be below. `most`: candidates to keep; 0: all.
TilingScan scan(const TilingSpace& space, const TilingProblem& problem, Objective objective, double limit,
                std::int64_t most = 0);

// The filter that refuses a point, none when it is legal and its bound is below `limit`.
std::optional<TilingFilter> refusal_of(const TilingSpace& space, const TilingProblem& problem,
                                       const TilingSpace::Place& place);

}  // namespace tilewright
