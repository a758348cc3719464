#include "planner/search/tiling/point_prediction.h"

#include "planner/constants/constants.h"
#include "planner/estimate/roofline.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"

namespace tilewright {

bool is_predictable(const Hardware& hardware, const TilingOperator& op) {
  if (hardware.cores() > constants().predicted_cores) return false;
  return requests_in_any_plan(op.graph, hardware) <= static_cast<double>(constants().predicted_requests);
}

PointCost predicted_cost(PredictionTable& table, const TilingOperator& op, const TriedPoint& point) {
  const Hardware& hardware = table.hardware();
  try {
    Plan plan = make_plan(op.graph, hardware, options_of(op, hardware, point), {.stop_after = kNeededForTasks});
    run_passes(plan, kNeededForTasks, {}, false);
    return {table.rough_cost(plan.program), {}};
  } catch (const UserError& refused) {
    return {std::nullopt, refused.what()};
  }
}

PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point) {
  PredictionTable table(hardware);
  return predicted_cost(table, op, point);
}

MeasurePoints predicted_by(PredictionTable& table, const TilingOperator& op) {
  return [&table, &op](const NextPoint& next, const PointDone& done) {
    while (const auto point = next()) done(predicted_cost(table, op, *point));
  };
}

}  // namespace tilewright
