// A plan as text for people: who computes what, with which tiling, how large the program is; and its labels.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

// As far as the passes have come: before `split` there are no splits, before `link` there is no program.
std::string plan_text(const Plan& plan);

// The split of one operator and, in words, each different tiling of its work items. Empty before `tile`.
std::string explain_tilings(const Plan& plan, OperatorId op);

// "m 384 in 6 steps of 64, ..." for an operator's part of m x n x k.
std::string explain(const Tiling& tiling);

// The label of every tensor, and per core what it computes, with which partial results and from
// which memories.
std::string labels_text(const Plan& plan);

}  // namespace tilewright
