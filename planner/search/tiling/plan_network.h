// A network planned as `tilewright run` plans it: the passes, with a tiling chosen for every contraction by prediction.
#pragma once

#include "planner/measure/measure.h"
#include "planner/passes/pass.h"

namespace tilewright {

// make_plan() with predicted_tiling() for every product and convolution that neither `options` choose nor a group
// computes. Without PlanOptions::predict or refine, and where a parallel mode or strategies say how operators are cut,
// make_plan() alone. Errors as of make_plan().
//
// A tiling that is fastest by itself need not be so between others: of several operators both plans are predicted by
// the queue model, and the faster is made. So are a network with the groups of convolutions that the passes choose and
// one without.
Plan plan_network(const Graph& graph, const Hardware& hardware, const PlanOptions& options, const PassOptions& = {});

// Plans a graph on the session's chip and measures it: the one path from an operator to its cost.
Measurement measure_network(Session& session, const Graph& graph, const PlanOptions& options = {});

// Of two finished plans of one network the one that the queue model predicts to be faster; of equals the first.
Plan faster_plan(Plan first, Plan second);

}  // namespace tilewright
