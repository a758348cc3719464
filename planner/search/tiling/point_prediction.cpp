#include "planner/search/tiling/point_prediction.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/roofline.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// What `cost` says of the program of the operator with this point, or why the planner refuses it.
template <typename CostOf>
PointCost cost_of_plan(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point, CostOf&& cost) {
  try {
    const PassOptions whole{.verify = false, .again = false};
    return {cost(make_plan(op.graph, hardware, options_of(op, hardware, point), whole).program), {}};
  } catch (const UserError& refused) {
    return {std::nullopt, refused.what()};
  }
}

}  // namespace

bool predicts_on(const Hardware& hardware) { return hardware.cores() <= constants().predicted_cores; }

double share_of_predictions(const Hardware& hardware, const TilingOperator& op) {
  if (!predicts_on(hardware)) return 0;
  const double most = op.share * static_cast<double>(constants().predicted_requests);
  return most / std::max({1.0, most, requests_in_any_plan(op.graph, hardware)});
}

bool is_predictable(const Hardware& hardware, const TilingOperator& op) {
  return share_of_predictions(hardware, op) == 1;
}

PointCost predicted_cost(PredictionTable& table, const TilingOperator& op, const TriedPoint& point) {
  return cost_of_plan(table.hardware(), op, point, [&](const Program& program) { return table.rough_cost(program); });
}

PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point) {
  PredictionTable table(hardware);
  return cost_of_plan(hardware, op, point, [&](const Program& program) { return table.cost(program); });
}

MeasurePoints predicted_by(PredictionTable& table, const TilingOperator& op) {
  return [&table, &op](const NextPoint& next, const PointDone& done) {
    while (const auto point = next()) done(predicted_cost(table, op, *point));
  };
}

}  // namespace tilewright
