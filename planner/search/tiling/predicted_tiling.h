// The planner's last choice of a tiling: of its own, that of the closed formulas and a few points of the space, what
// the queue model (planner/estimate/queue_model) predicts to be fastest. Nothing is measured.
//
// Closed formulas know neither what requests wait for nor what products lose when loads come late; the queue model
// does, at about a fifth of what a measurement costs. Points are proposed as a search proposes them (tiling_search.h).
#pragma once

#include "planner/search/tiling/tiling_measurer.h"

namespace tilewright {

// How to run an operator of `plan`'s chip. The refined tiling (TriedPoint{}) where its predicted time is close to the
// least bound of all points, and where a prediction would be more work than constants().predicted_requests or _cores
// say. UserError when the planner itself cannot tile the operator.
TriedPoint predicted_tiling(const Hardware& hardware, const TilingOperator& op);

}  // namespace tilewright
