#include "planner/search/database/hit_prediction.h"

#include "planner/constants/constants.h"
#include "planner/search/tiling/point_prediction.h"

namespace tilewright {
namespace {

std::optional<Cost> cost_of(const OperatorShape& shape, const TilingPoint& point, const Hardware& hardware) {
  const TilingOperator op = tiling_operator(shape);
  if (!is_predictable(hardware, op)) return {};
  return predicted_cost(hardware, op, {.point = point}).cost;
}

// What a record's measured figure becomes where the model goes from `of_record` to `of_shape`.
double transferred(std::int64_t measured, std::int64_t of_shape, std::int64_t of_record) {
  if (of_record == 0) return static_cast<double>(of_shape);
  return static_cast<double>(measured) * static_cast<double>(of_shape) / static_cast<double>(of_record);
}

}  // namespace

Hit queue_predicted(Hit hit, const OperatorShape& shape, const Hardware& hardware) {
  const TilingRecord& record = *hit.record;
  if (record.shape.dims == shape.dims) return hit;
  const auto of_shape = cost_of(shape, record.point, hardware);
  const auto of_record = of_shape ? cost_of(record.shape, record.point, hardware) : std::nullopt;
  if (!of_record) return hit;
  hit.predicted = {transferred(record.cost.cycles, of_shape->cycles, of_record->cycles),
                   transferred(record.cost.energy_pj, of_shape->energy_pj, of_record->energy_pj)};
  hit.by_queue_model = true;
  hit.error_bound = constants().database_queue_error;
  hit.energy_error_bound = constants().database_queue_error;
  return hit;
}

}  // namespace tilewright
