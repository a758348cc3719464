// Points that were best somewhere else, on another chip or in another version of the simulator, as the beginning of a
// search: they are measured right behind the planner's own tiling.
#pragma once

#include "planner/search/tiling/tiling_search.h"

namespace tilewright {

// The legal point of the space whose parts have the smallest ratios to those of `point`, of these the one with the
// nearest sizes, of these the one with most orders alike. None when nothing in the space is legal.
std::optional<TilingPoint> nearest_legal(const TilingSpace& space, const TilingProblem& problem,
                                         const TilingPoint& point);

// Adds SearchOptions::seeds to the points that are to be measured first, as many as the budget has room for: each as it
// is where the chip can run it with every core busy, else the nearest legal point. One that is known, or whose bound
// says that it cannot be the best, is left out.
void add_seeds(TilingStart& start, const Hardware& hardware, const TilingOperator& op, const SearchOptions& options);

}  // namespace tilewright
