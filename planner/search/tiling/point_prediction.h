// What the queue model (planner/estimate/queue_model) predicts a point to cost: the same program as for a measurement,
// at less than half of its price.
#pragma once

#include "planner/search/tiling/prediction_table.h"
#include "planner/search/tiling/tiling_measurer.h"

namespace tilewright {

// Whether predictions of the operator cost little enough: constants().predicted_requests and _cores.
bool is_predictable(const Hardware& hardware, const TilingOperator& op);

// Cycles and energy, or why the planner refuses the point: as exact as the queue model is, and roughly, for a search of
// many points.
PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point);
PointCost predicted_cost(PredictionTable& table, const TilingOperator& op, const TriedPoint& point);
MeasurePoints predicted_by(PredictionTable& table, const TilingOperator& op);  // keeps references

}  // namespace tilewright
