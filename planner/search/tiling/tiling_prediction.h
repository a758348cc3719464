// What the planner predicts a point to take (passes/tile/predict.h): the order in which a search measures. It is no
// bound and prunes nothing.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "planner/estimate/prediction_input.h"
#include "planner/ir/tiling_point.h"

namespace tilewright {

class TilingPrediction {
 public:
  // Of operator `op` of a plan with types.
  TilingPrediction(Plan plan, OperatorId op);

  // Core clocks of the largest part. The point satisfies check_choice().
  double cycles(const TilingPoint& point);

 private:
  struct Part {
    std::unique_ptr<Contraction> contraction;
    PredictionInput input;
  };
  const Part& part_of(const TilingPoint& point);

  const Plan plan_;
  const Operator& op_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Part> parts_;  // by numbers of parts
};

}  // namespace tilewright
