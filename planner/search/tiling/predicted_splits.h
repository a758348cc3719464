// On how many and which cores, in which mode, with which reduction and beginning with which rows the products of a
// network are computed: what the queue model predicts each to be fastest with, by itself.
//
// The passes cut an operator by formulas over all cores that it may have. A chip's ports and memories can be busy with
// less: then more cores only read the same more often, or add up more partial results.
#pragma once

#include <optional>
#include <vector>

#include "planner/ir/plan.h"
#include "planner/search/tiling/prediction_table.h"
#include "planner/search/tiling/tiling_network.h"

namespace tilewright {

// How the uses of a task are run in less time than as planned, by itself.
struct FasterChoice {
  TilingTask task;
  OperatorChoice choice;
  double gain = 0;  // core clocks, of all uses
};

// Other splits, tilings and reductions of a finished plan's products and convolutions that are predicted to be faster
// by more than constants().split_gain. Tried are, besides what is planned, half of the cores, a quarter ..., in the
// plan's mode, and in the mode `free` also all, half ... of them as `model` cuts; of each the same parts over more or
// fewer clusters, those next to memory first; of sums that are cut every reduction; of what is planned, and of the
// best, the parts in panels (cluster_panels.h); where memories are not equally far, rows begun apart
// (passes/lower/row_stagger.h). What `asked` chooses stays.
std::vector<FasterChoice> predicted_splits(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

// The same with sums cut into as many parts as formulas would not have it, the best of them in panels, and with nothing
// else. Apart from the above, since operators that hand on partial results leave their neighbours less choice
// (neighbour_splits.h).
std::vector<FasterChoice> predicted_sums(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

// The same with operands that cores take from each other (ir/hand_on.h) and with nothing else; none where
// PlanOptions::hand_on does not allow it. Apart as well: such parts begin together, which others between them need not.
std::vector<FasterChoice> predicted_hand_ons(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

// The options of `plan` with the `most` of them that gain most.
PlanOptions with_fastest(const Plan& plan, const std::vector<FasterChoice>& choices, std::size_t most);
// Core clocks that these gain by themselves.
double promised(const std::vector<FasterChoice>& choices, std::size_t most);

}  // namespace tilewright
