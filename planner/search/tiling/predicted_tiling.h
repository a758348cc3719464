// The planner's last choice of a tiling: of its own and a few points of the space, what the queue model
// (planner/estimate/queue_model) predicts to be fastest. Nothing is measured. That of the closed formulas, which
// refining began with, is one of the points where its bound lets it be faster: else its many small tiles take longest
// to predict, for nothing.
//
// Closed formulas know neither what requests wait for nor what products lose when loads come late; the queue model
// does, at about a fifth of what a measurement costs. Points are proposed as a search proposes them (tiling_search.h).
#pragma once

#include "planner/search/tiling/prediction_table.h"
#include "planner/search/tiling/tiling_measurer.h"

namespace tilewright {

// How to run the operator on the chip: what is predicted to be fastest of the refined tiling (TriedPoint{}) and
// constants().predicted_points points; predicted_more_points more where the best prediction is predicted_far above the
// least bound of all, fewer once no bound is below it by more than predicted_gain, or once predicted_patience points in
// a row were no better. Operators of many requests have fewer points predicted (share_of_predictions()), and none where
// that leaves fewer than two. Of equals the refined; so too without a prediction. UserError when the planner itself
// cannot tile the operator.
TriedPoint predicted_tiling(const Hardware& hardware, const TilingOperator& op);
TriedPoint predicted_tiling(PredictionTable& table, const TilingOperator& op);

}  // namespace tilewright
