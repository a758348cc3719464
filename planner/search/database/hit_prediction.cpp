#include "planner/search/database/hit_prediction.h"

#include "planner/constants/constants.h"
#include "planner/measure/energy.h"
#include "planner/search/tiling/point_prediction.h"

namespace tilewright {
namespace {

std::optional<double> predicted_cycles(const OperatorShape& shape, const TilingPoint& point, const Hardware& hardware) {
  const TilingOperator op = tiling_operator(shape);
  if (!is_predictable(hardware, op)) return {};
  const PointCost predicted = predicted_cost(hardware, op, {.point = point});
  if (!predicted.cost) return {};
  return static_cast<double>(predicted.cost->cycles);
}

}  // namespace

Hit queue_predicted(Hit hit, const OperatorShape& shape, const Hardware& hardware) {
  const TilingRecord& record = *hit.record;
  if (record.shape.dims == shape.dims) return hit;
  const auto of_shape = predicted_cycles(shape, record.point, hardware);
  const auto of_record = of_shape ? predicted_cycles(record.shape, record.point, hardware) : std::nullopt;
  if (!of_record) return hit;
  const double growth = *of_shape / *of_record;
  hit.predicted = {growth * static_cast<double>(record.cost.cycles),
                   transferred_energy_pj(hardware, record, hit.rounds, growth)};
  hit.by_queue_model = true;
  hit.error_bound = constants().database_queue_error;
  return hit;
}

}  // namespace tilewright
