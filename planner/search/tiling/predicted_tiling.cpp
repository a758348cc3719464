#include "planner/search/tiling/predicted_tiling.h"

#include "planner/constants/constants.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/tiling_search.h"

namespace tilewright {
namespace {

// Beside the refined tiling: that of the formulas and another.
constexpr std::int64_t kFewestPoints = 2;

}  // namespace

TriedPoint predicted_tiling(const Hardware& hardware, const TilingOperator& op) {
  PredictionTable table(hardware);
  return predicted_tiling(table, op);
}

TriedPoint predicted_tiling(PredictionTable& table, const TilingOperator& op) {
  const Hardware& hardware = table.hardware();
  const double share = share_of_predictions(hardware, op);
  const auto points = [&](std::int64_t of_all) {
    return static_cast<std::int64_t>(share * static_cast<double>(of_all));
  };
  if (points(constants().predicted_points + constants().predicted_more_points) < kFewestPoints) return {};
  const SearchOptions options{.budget = points(constants().predicted_points),
                              .more_if_far = points(constants().predicted_more_points),
                              .far = constants().predicted_far,
                              .patience = constants().predicted_patience,
                              .gain = constants().predicted_gain,
                              .spill_gain = constants().spill_gain,
                              .under_way = 1};
  const TriedPoint best = best_of_refined(predicted_by(table, op), hardware, op, options);
  const SearchOptions spilled{
      .budget = points(constants().spilled_points), .spill_gain = constants().spill_gain, .under_way = 1};
  if (spilled.budget == 0) return best;
  return best_spilled(predicted_by(table, op), hardware, op, best, spilled);
}

}  // namespace tilewright
