// Predictions of a tiling database beside measurements: how right they are, and what reuse costs against search.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/search/database/boundary_search.h"
#include "planner/search/database/tiling_lookup.h"

namespace tilewright {

struct CheckedShape {
  OperatorShape shape;
  std::optional<Hit> hit;
  std::optional<Cost> measured;  // of the shape with the hit's tiling
  std::optional<Cost> searched;  // of a search for the shape itself, when asked for
  // Share of what was measured, by the objective, by which a prediction of the hit is off, signed: above 0 when it is
  // too high.
  double error(const PredictedCost& prediction, Objective objective) const;
};

struct CheckOptions {
  LookupOptions lookup;
  bool search = false;
  std::int64_t budget = constants().database_budget;
};

using CheckProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// The hits, and what their tilings measure on the shapes.
std::vector<CheckedShape> check_tilings(const TilingIndex& index, const Hardware& hardware, Objective objective,
                                        const std::vector<OperatorShape>& shapes, const CheckOptions& options, int jobs,
                                        const CheckProgress& progress = {});

struct Accuracy {
  std::int64_t shapes = 0;
  double within_5_percent = 0, mean = 0, worst_error = 0;  // mean of 1 - |error|
};
struct CheckSummary {
  std::int64_t shapes = 0, misses = 0;
  std::array<std::int64_t, kMatchKindCount> hits{};
  Accuracy linear, other;                // of hits in the linear region and outside it
  Accuracy linear_only;                  // of those in it, such as are no records themselves
  Accuracy all, proportional;            // of all hits; of the cost in proportion to the rounds
  double within_bound = 0;               // share of the hits that are no records themselves, within Hit::bound()
  std::int64_t bounded = 0;              // such hits with a bound
  double loss_mean = 0, loss_worst = 0;  // measured over searched value, minus 1; over shapes with both
  std::int64_t searched = 0;
};
CheckSummary summary_of(const std::vector<CheckedShape>& checked, Objective objective);

// A record measured again whose cost or program is no longer what was recorded.
struct Drift {
  const TilingRecord* record = nullptr;
  std::string what;
};
// Every record, measured again; `records` outlive the result.
std::vector<Drift> verify_tilings(const std::vector<TilingRecord>& records, const Hardware& hardware, int jobs,
                                  const CheckProgress& progress = {});

}  // namespace tilewright
