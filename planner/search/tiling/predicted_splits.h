// On how many and which cores, in which mode, with which reduction and beginning with which rows the products of a
// network are computed: what the queue model predicts each to be fastest with, by itself.
//
// The passes cut an operator by formulas over all cores that it may have. A chip's ports and memories can be busy with
// less: then more cores only read the same more often, or add up more partial results.
#pragma once

#include <optional>

#include "planner/ir/plan.h"
#include "planner/search/tiling/prediction_table.h"

namespace tilewright {

// The options of a finished plan with other splits, tilings and reductions of its products and convolutions; nothing:
// none is predicted to be faster by more than constants().split_gain. Tried are, besides what is planned, half of the
// cores, a quarter ..., in the plan's mode, and in the mode `free` also all, half ... of them as `model` cuts; of each
// the same parts over more or fewer clusters, those next to memory first; of sums that are cut every reduction; where
// memories are not equally far, rows begun apart (passes/lower/row_stagger.h). What `asked` chooses stays.
std::optional<PlanOptions> predicted_splits(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

}  // namespace tilewright
