// A search for the tiling of one operator that is driven from outside, measurement by measurement: the search of
// `tilewright tune`, or anybody's own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "planner/search/tiling/tiling_model.h"
#include "planner/search/tiling/tiling_search.h"

namespace tilewright {

struct MeasuredPoint {
  TilingPoint point;
  PointCost cost;
};

class TilingTuner {
 public:
  // UserError when the planner itself cannot tile the operator on this chip.
  TilingTuner(const Hardware& hardware, TilingOperator op, const SearchOptions& options, int jobs);

  // The points that the search measures next, as many as it decides on before it knows more; none: it is finished.
  std::vector<TilingPoint> ask();
  // What points came to, those of ask() and any others.
  void tell(const std::vector<MeasuredPoint>& measured);
  // Measures in worker processes, without telling; nothing stands for the planner's own tiling. A point that the
  // planner or the chip refuses has a refusal for a cost.
  std::vector<PointCost> measure(const std::vector<std::optional<TilingPoint>>& points);
  // When everything asked for is told.
  SearchResult result();

  const TilingSpace& space() const { return space_; }
  const TilingStart& start() const { return start_; }
  const std::string& key() const { return op_.key; }
  Objective objective() const { return options_.objective; }

  // Why a point of the space is not worth a measurement; empty when it is.
  std::string refusal(std::int64_t number) const;
  double bound(const TilingPoint& point) const;       // of the objective: no measurement is below it
  double predicted_cycles(const TilingPoint& point);  // by closed formulas
  std::vector<TilingCandidate> candidates(std::int64_t most) const;
  // The point of the space nearest to any point; none without a block of its parts.
  std::optional<TilingPoint> nearest(const TilingPoint& point) const;

 private:
  MeasurePoints measurer();
  void pass_on_reports();

  const Hardware hardware_;
  const TilingOperator op_;
  const SearchOptions options_;
  const int jobs_;
  std::unique_ptr<TilingMeasurer> measurer_;
  std::thread::id measuring_thread_;
  const TilingStart start_;
  const Plan planned_;
  const TilingProblem problem_;
  const TilingSpace space_;
  TilingPrediction prediction_;
  std::unique_ptr<TilingSearch> search_;
  std::vector<TilingPoint> asked_;            // not yet told to the search, in its order
  std::map<TilingPoint, PointCost> waiting_;  // told before one that was asked for earlier
};

}  // namespace tilewright
