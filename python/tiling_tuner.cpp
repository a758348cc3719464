#include "python/tiling_tuner.h"

#include <algorithm>
#include <limits>

#include "planner/search/tiling/predicted_tiling.h"
#include "sim/base/error.h"

namespace tilewright {

TilingTuner::TilingTuner(const Hardware& hardware, TilingOperator op, const SearchOptions& options, int jobs)
    : hardware_(hardware),
      op_(std::move(op)),
      options_(options),
      jobs_(jobs),
      start_(measure_start(measurer(), hardware_, op_, predicted_tiling(hardware_, op_))),
      planned_(tiled_plan(op_, hardware_, {})),
      problem_(tiling_problem(planned_, op_.op)),
      space_(problem_),
      prediction_(planned_, op_.op),
      search_(new TilingSearch(begin_search(hardware_, op_, options_, start_))) {}

// A pool's workers end with the thread that asked first: another thread gets a pool of its own.
MeasurePoints TilingTuner::measurer() {
  if (!measurer_ || measuring_thread_ != std::this_thread::get_id())
    measurer_ = std::make_unique<TilingMeasurer>(hardware_, jobs_, std::vector<TilingOperator>{op_});
  measuring_thread_ = std::this_thread::get_id();
  return measurer_->of(op_);
}

std::vector<TilingPoint> TilingTuner::ask() {
  if (!asked_.empty()) return asked_;
  while (const auto point = search_->next()) asked_.push_back(*point);
  return asked_;
}

void TilingTuner::tell(const std::vector<MeasuredPoint>& measured) {
  for (const auto& [point, cost] : measured) {
    if (std::find(asked_.begin(), asked_.end(), point) != asked_.end())
      waiting_[point] = cost;
    else if (cost.cost)
      search_->report_other(point, *cost.cost);
  }
  pass_on_reports();
}

// The search wants its reports in the order of its questions.
void TilingTuner::pass_on_reports() {
  while (!asked_.empty() && waiting_.contains(asked_.front())) {
    search_->report(waiting_.at(asked_.front()));
    waiting_.erase(asked_.front());
    asked_.erase(asked_.begin());
  }
}

std::vector<PointCost> TilingTuner::measure(const std::vector<std::optional<TilingPoint>>& points) {
  std::vector<TriedPoint> tried;
  for (const auto& point : points) tried.push_back({.point = point});
  try {
    return measure_all(measurer(), tried);
  } catch (...) {
    measurer_.reset();  // its workers may still be at it
    throw;
  }
}

SearchResult TilingTuner::result() {
  if (!asked_.empty())
    throw UserError(op_.key, fmt::format("{} points that were asked for are not told yet", asked_.size()));
  return finish_search(*search_, hardware_, op_, start_);
}

std::string TilingTuner::refusal(std::int64_t number) const {
  const auto filter = refusal_of(space_, problem_, space_.place_of(number));
  return filter ? std::string(name_of(*filter)) : std::string();
}

double TilingTuner::bound(const TilingPoint& point) const {
  return value_of(tiling_bound(problem_, point), options_.objective);
}

double TilingTuner::predicted_cycles(const TilingPoint& point) { return prediction_.cycles(point); }

std::vector<TilingCandidate> TilingTuner::candidates(std::int64_t most) const {
  return scan(space_, problem_, options_.objective, std::numeric_limits<double>::infinity(), most).candidates;
}

std::optional<TilingPoint> TilingTuner::nearest(const TilingPoint& point) const {
  const auto place = space_.nearest(point);
  return place ? std::optional(space_.point(*place)) : std::nullopt;
}

}  // namespace tilewright
