#include "planner/search/tiling/tiling_prediction.h"

namespace tilewright {

TilingPrediction::TilingPrediction(Plan plan, OperatorId op) : plan_(std::move(plan)), op_(plan_.graph.op(op)) {}

double TilingPrediction::cycles(const TilingPoint& point) {
  const Part& part = part_of(point);
  return predicted_cycles(part.input, tiling_of(point, part.contraction->shape(), part.input.limits));
}

const TilingPrediction::Part& TilingPrediction::part_of(const TilingPoint& point) {
  const std::tuple key{point.parts_batch, point.parts_m, point.parts_n};
  const auto known = parts_.find(key);
  if (known != parts_.end()) return known->second;
  const Split split = split_of(point, plan_, op_);
  auto contraction = make_contraction(plan_, op_, split.items[largest_item(split)]);
  const PredictionInput input = prediction_input(plan_, op_, *contraction, split.items.size());
  return parts_.emplace(key, Part{std::move(contraction), input}).first->second;
}

}  // namespace tilewright
