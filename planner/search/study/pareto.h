// Which of several vectors of figures, all to be minimised, no other one beats.
#pragma once

#include <vector>

namespace tilewright {

using Figures = std::vector<double>;

// At least as small everywhere and smaller somewhere.
bool dominates(const Figures& a, const Figures& b);

// Non-dominated sorting (Deb et al., NSGA-II, 2002): 0 for the Pareto front, 1 for the front without it, and so on.
// Equal vectors are in the same front.
std::vector<int> front_of(const std::vector<Figures>& points);

}  // namespace tilewright
