// What the queue model (planner/estimate/queue_model) predicts a point to cost: the same program as for a measurement,
// at less than half of its price.
#pragma once

#include "planner/search/tiling/prediction_table.h"
#include "planner/search/tiling/tiling_measurer.h"

namespace tilewright {

// Whether a chip is small enough for anything to be predicted about plans for it.
bool predicts_on(const Hardware& hardware);
// Of the points that an operator of constants().predicted_requests has predicted, how many this one has, so that all
// its predictions together cost no more: 1 for it and smaller ones; 0 on chips of more than
// constants().predicted_cores. Of the operators of large networks a share of that (TilingOperator::share).
double share_of_predictions(const Hardware& hardware, const TilingOperator& op);
// Whether that is 1.
bool is_predictable(const Hardware& hardware, const TilingOperator& op);

// Cycles and energy, or why the planner refuses the point: as exact as the queue model is, and roughly, for a search of
// many points.
PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point);
PointCost predicted_cost(PredictionTable& table, const TilingOperator& op, const TriedPoint& point);
MeasurePoints predicted_by(PredictionTable& table, const TilingOperator& op);  // keeps references

}  // namespace tilewright
