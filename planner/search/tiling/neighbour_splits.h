// How the operators of a network are split where memories are not equally far: together, since what one of them reads
// lies where the cores are that wrote it.
#pragma once

#include <vector>

#include "planner/ir/plan.h"
#include "planner/search/tiling/prediction_table.h"

namespace tilewright {

// The options of a finished plan with other splits of some of its operators, which are predicted to take less time
// together: up to two, where what activations keep memories busy counts whole, and where most of it passes behind
// computing. None: all memories are equally far, or nothing is predicted to be faster. What `asked` chooses stays.
//
// Each operator may keep its split or take one of split_candidates(), whose time by itself the queue model predicts.
// What it takes longer where its inputs lie elsewhere is counted in bytes (estimate/region_traffic.h).
// choose_in_trees() finds the splits that are cheapest together.
std::vector<PlanOptions> neighbour_splits(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

}  // namespace tilewright
