// The contractions of a network, equal ones together, and what a search found put back into the network.
#pragma once

#include <string_view>
#include <vector>

#include "planner/search/tiling/tiling_search.h"

namespace tilewright {

// Operators of a plan that are the same problem: sizes, attributes, epilogues and where their inputs come from.
struct TilingTask {
  TilingOperator op;
  std::vector<OperatorId> uses;  // ascending
};

// The pass (planner/passes/pass.h) after which a plan says all that tasks and points need: operators, and what is fused
// into them.
inline constexpr std::string_view kNeededForTasks = "label";

// What an operator has predicted in its network, of what it would have by itself: 1, or in networks of more requests
// than constants().network_requests as much less as they make more, since each prediction costs more.
double share_in_network(const Plan& plan);

// Bytes of DRAM that no tensor of the plan lies in.
Bytes free_memory(const Plan& plan);

// Every contraction of the plan once, in the order of execution, but for those that a group computes.
std::vector<TilingTask> tiling_tasks(const Plan& plan);

// The operators of the tasks, for workers to know.
std::vector<TilingOperator> operators_of(const std::vector<TilingTask>& tasks);

// Whether `options` choose how some use of the task is run.
bool is_chosen(const PlanOptions& options, const TilingTask& task);
// That operator `op` is run as it was planned.
OperatorChoice as_planned(const OperatorPlan& planned, OperatorId op);
// That all uses of the task are run so, whichever operator the choice names.
void choose_for_uses(PlanOptions& options, const TilingTask& task, OperatorChoice choice);

// The plan's options with `points[i]` for all uses of `tasks[i]`; without a point: as the
// planner does by itself, or the closed formulas alone.
PlanOptions with_points(const Plan& plan, const std::vector<TilingTask>& tasks, const std::vector<TriedPoint>& points);

// The options that a finished plan of a network was asked for, with its groups, merged operators and layouts, and
// without what it chose for operators one by one.
PlanOptions without_choices(const PlanOptions& asked, const Plan& plan);

// plan_network() with the tilings that a search of every contraction found, or without them, whichever was measured to
// be faster; `jobs` processes measure.
Plan tuned_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options, const SearchOptions& search,
                int jobs);

}  // namespace tilewright
