// How the operators of a network are split where memories are not equally far: together, since what one of them reads
// lies where the cores are that wrote it.
#pragma once

#include <optional>

#include "planner/ir/plan.h"
#include "planner/search/tiling/prediction_table.h"

namespace tilewright {

// The options of a finished plan with other splits of some of its operators, which are predicted to take less time
// together; nothing: none are, or all memories are equally far. What `asked` chooses stays.
//
// Each operator may keep its split or take one of split_candidates(), whose time by itself the queue model predicts.
// What it takes longer where its inputs lie elsewhere is counted in bytes (estimate/region_traffic.h).
// choose_in_trees() finds the splits that are cheapest together.
std::optional<PlanOptions> neighbour_splits(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

}  // namespace tilewright
