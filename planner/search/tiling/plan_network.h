// A network planned as `tilewright run` plans it: the passes, with a tiling chosen for every contraction by prediction.
#pragma once

#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/predictions.h"

namespace tilewright {

// make_plan() with predicted_tiling() for every product and convolution that neither `options` choose nor a group
// computes, and with predicted_splits() and predicted_sums(); where a parallel mode says how operators are cut, with
// the splits alone. Without PlanOptions::predict or refine, and where strategies are given, make_plan() alone. Errors
// as of make_plan().
//
// A tiling that is fastest by itself need not be so between others: of several operators both plans are predicted by
// the queue model, and the faster is made. Where memories are not equally far, so is the plan with neighbour_splits()
// and, of one operator with Placement::kAuto, that with pieces in all memories in turn; and a network with groups of
// convolutions beside the same without them.
//
// What `shared` knows, if given, is not predicted again, and what is predicted is added to it: the plan is the same.
Plan plan_network(const Graph& graph, const Hardware& hardware, const PlanOptions& options, const PassOptions& = {},
                  Predictions* shared = nullptr);

// Plans a graph on the session's chip and measures it: the one path from an operator to its cost.
Measurement measure_network(Session& session, const Graph& graph, const PlanOptions& options = {});

}  // namespace tilewright
