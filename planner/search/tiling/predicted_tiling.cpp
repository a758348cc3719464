#include "planner/search/tiling/predicted_tiling.h"

#include "planner/constants/constants.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/tiling_search.h"

namespace tilewright {

TriedPoint predicted_tiling(const Hardware& hardware, const TilingOperator& op) {
  PredictionTable table(hardware);
  return predicted_tiling(table, op);
}

TriedPoint predicted_tiling(PredictionTable& table, const TilingOperator& op) {
  const Hardware& hardware = table.hardware();
  if (!is_predictable(hardware, op)) return {};
  const SearchOptions options{.budget = constants().predicted_points,
                              .more_if_far = constants().predicted_more_points,
                              .far = constants().predicted_far,
                              .patience = constants().predicted_patience,
                              .gain = constants().predicted_gain,
                              .under_way = 1};
  return best_of_refined(predicted_by(table, op), hardware, op, options);
}

}  // namespace tilewright
