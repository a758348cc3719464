// One option for every operator, so that all of them together are predicted to take the least time where each reads
// what another wrote.
#pragma once

#include "planner/search/tiling/layout_trial.h"

namespace tilewright {

struct TreeChoice {
  std::vector<std::size_t> chosen;   // by OperatorId; 0 where there is no choice
  double time = 0, time_before = 0;  // sum over the operators: as chosen, and with the first option of each
};

// Operators form trees, each below the writer of the largest tensor it reads. Of every tree the cheapest options are
// found, from the last operators to the first (Viterbi, 1967), twice: what is read across trees lies where the choice
// before put it.
// `exposed` as of LayoutTrial.
TreeChoice choose_in_trees(const Plan& plan, const SplitOptions& options, double exposed = 1);

}  // namespace tilewright
