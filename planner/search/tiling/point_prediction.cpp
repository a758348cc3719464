#include "planner/search/tiling/point_prediction.h"

#include "planner/constants/constants.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/estimate/roofline.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"

namespace tilewright {

bool is_predictable(const Hardware& hardware, const TilingOperator& op) {
  if (hardware.cores() > constants().predicted_cores) return false;
  return requests_in_any_plan(op.graph, hardware) <= static_cast<double>(constants().predicted_requests);
}

PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point) {
  try {
    Plan plan = make_plan(op.graph, hardware, options_of(op, hardware, point), {.stop_after = kNeededForTasks});
    run_passes(plan, kNeededForTasks, {}, false);
    return {Cost{.cycles = static_cast<Cycles>(queue_model_cycles(hardware, plan.program))}, {}};
  } catch (const UserError& refused) {
    return {std::nullopt, refused.what()};
  }
}

MeasurePoints predicted_by(const Hardware& hardware, const TilingOperator& op) {
  return [&hardware, &op](const NextPoint& next, const PointDone& done) {
    while (const auto point = next()) done(predicted_cost(hardware, op, *point));
  };
}

}  // namespace tilewright
