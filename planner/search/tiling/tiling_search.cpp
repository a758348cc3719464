#include "planner/search/tiling/tiling_search.h"

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Candidates kept in bounded mode, by measurements allowed: pruning by better costs uses some up.
constexpr std::int64_t kKeptPerMeasurement = 16;

Bytes accumulator_of(const Plan& plan, OperatorId op) {
  Bytes most = 0;
  for (const Tiling& tiling : plan.operators[op].tilings) most = std::max(most, tiling.acc_buffer_needed);
  return most;
}

TilingOutcome outcome_of(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point,
                         const Cost& cost) {
  return {point, cost, accumulator_of(tiled_plan(op, hardware, point), op.op)};
}

// The planner's own tiling and that of the closed formulas, as nearly as points can say them.
std::vector<TilingPoint> starts_of(const TilingOperator& op, const Hardware& hardware, const Plan& planned) {
  std::vector<TilingPoint> starts{point_of(planned, op.op)};
  const TilingPoint formulas = point_of(tiled_plan(op, hardware, {.refine = false}), op.op);
  if (formulas != starts.front()) starts.push_back(formulas);
  return starts;
}

}  // namespace

TilingSearch::TilingSearch(const TilingProblem& problem, const SearchOptions& options, const Cost& planned,
                           const Cost& formulas, std::vector<TilingPoint> starts)
    : problem_(problem),
      options_(options),
      space_(problem),
      starts_(std::move(starts)),
      best_cost_(planned),
      best_value_(value_of(planned, options.objective)) {
  if (const double value = value_of(formulas, options.objective); value < best_value_)
    best_tried_.refine = false, best_cost_ = formulas, best_value_ = value;
  early_cost_ = best_cost_;
  const std::int64_t most = options.exhaustive ? 0 : std::max<std::int64_t>(1, options.budget) * kKeptPerMeasurement;
  scan_ = scan(space_, problem_, options.objective, best_value_, most);
}

std::vector<TriedPoint> TilingSearch::next() {
  round_.clear();
  if (measured_ + refused_ == 1) take_starts();
  const std::size_t most = room();
  if (!options_.exhaustive) take_neighbours((most - std::min(most, round_.size())) / 2);
  take_by_bound(most - std::min(most, round_.size()));
  std::vector<TriedPoint> points;
  for (const TilingPoint& point : round_) points.push_back({.point = point});
  return points;
}

// Points of a round.
std::size_t TilingSearch::room() const {
  const auto round = static_cast<std::size_t>(options_.round);
  const std::int64_t left = options_.budget + 1 - measured_ - refused_;
  return options_.exhaustive ? round : std::min(round, static_cast<std::size_t>(std::max<std::int64_t>(0, left)));
}

void TilingSearch::take_starts() {
  round_ = starts_;
  for (const TilingPoint& start : starts_)
    if (const auto place = space_.nearest(start); place && space_.point(*place) == start)
      tried_.insert(space_.number_of(*place));
}

void TilingSearch::take_by_bound(std::size_t most) {
  for (; most > 0 && next_candidate_ < scan_.candidates.size(); ++next_candidate_) {
    const TilingCandidate& candidate = scan_.candidates[next_candidate_];
    if (!worth(candidate)) return;
    if (!tried_.insert(candidate.number).second) continue;
    round_.push_back(space_.point(candidate.number));
    --most;
  }
}

void TilingSearch::take_neighbours(std::size_t most) {
  if (!best_ && starts_.empty()) return;
  const auto place = space_.nearest(best_ ? *best_ : starts_.front());
  if (!place) return;
  for (const TilingCandidate& candidate : neighbours(*place))
    if (most > 0 && tried_.insert(candidate.number).second) {
      round_.push_back(space_.point(candidate.number));
      --most;
    }
}

// Worth measuring, best bound first.
std::vector<TilingCandidate> TilingSearch::neighbours(const TilingSpace::Place& place) const {
  const TilingSpace::Block& block = space_.blocks()[place.block];
  std::vector<TilingCandidate> found;
  TilingSpace::Place p = place;
  for (p.k = 0; p.k < block.k.size(); ++p.k) add_line(found, p);
  for (p = place, p.m = 0; p.m < block.m.size(); ++p.m) add_line(found, p);
  for (p = place, p.n = 0; p.n < block.n.size(); ++p.n) add_line(found, p);
  for (p = place, p.order = 0; p.order < space_.orders(); ++p.order) add_line(found, p);
  std::sort(found.begin(), found.end());
  return found;
}

void TilingSearch::add_line(std::vector<TilingCandidate>& found, TilingSpace::Place place) const {
  const std::int64_t number = space_.number_of(place);
  if (tried_.contains(number) || refusal_of(space_, problem_, place)) return;
  const TilingBound bound = bound_of(problem_, space_.point(place));
  const TilingCandidate candidate{value_of(bound, options_.objective), bound.work, number};
  if (worth(candidate)) found.push_back(candidate);
}

void TilingSearch::report(const std::vector<PointCost>& costs) {
  SIM_CHECK(costs.size() == round_.size(), "{} costs of {} points", costs.size(), round_.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!costs[i].cost) {
      ++refused_;
      continue;
    }
    ++measured_;
    const double value = value_of(*costs[i].cost, options_.objective);
    if (!best_ || value < value_of(best_point_cost_, options_.objective))
      best_ = round_[i], best_point_cost_ = *costs[i].cost;
    if (value >= best_value_) continue;
    best_tried_.point = best_, best_cost_ = *costs[i].cost, best_value_ = value;
    if (measured_ + refused_ <= options_.early + 1) early_cost_ = best_cost_;
  }
}

std::int64_t TilingSearch::count_left() const {
  std::int64_t left = scan_.dropped;
  for (std::size_t i = next_candidate_; i < scan_.candidates.size(); ++i)
    if (worth(scan_.candidates[i]) && !tried_.contains(scan_.candidates[i].number)) ++left;
  return left;
}

SearchResult TilingSearch::result() const {
  SearchResult result;
  result.best.cost = best_cost_;
  result.early = early_cost_;
  result.best_point = best_, result.best_point_cost = best_point_cost_;
  result.best.point = best_tried_;
  result.space = space_.size();
  result.removed = scan_.removed;
  result.bounds = scan_.bounds;
  result.measured = measured_, result.refused = refused_;
  result.left = count_left();
  for (const TilingCandidate& candidate : scan_.candidates)
    if (!worth(candidate) && !tried_.contains(candidate.number))
      ++result.removed[static_cast<int>(TilingFilter::kBound)];
  return result;
}

SearchResult search_tiling(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           const SearchOptions& options, const SearchProgress& progress) {
  const TriedPoint own, formulas{.refine = false};
  const std::vector<PointCost> costs = measure({own, formulas});
  for (const PointCost& cost : costs)
    if (!cost.cost) throw UserError(op.key, cost.refusal);
  const Plan planned = tiled_plan(op, hardware, own);
  TilingSearch search(tiling_problem(planned, op.op), options, *costs[0].cost, *costs[1].cost,
                      starts_of(op, hardware, planned));
  std::int64_t done = 1;
  for (std::vector<TriedPoint> points = search.next(); !points.empty(); points = search.next()) {
    search.report(measure(points));
    done += std::ssize(points);
    if (progress) progress(done, options.exhaustive ? done + search.result().left : options.budget + 1);
  }
  SearchResult result = search.result();
  result.planned = outcome_of(op, hardware, own, *costs[0].cost);
  result.closed_form = outcome_of(op, hardware, formulas, *costs[1].cost);
  result.best = outcome_of(op, hardware, result.best.point, result.best.cost);
  return result;
}

SearchResult search_tiling(TilingMeasurer& measurer, const Hardware& hardware, const OperatorShape& shape,
                           const SearchOptions& options) {
  const TilingOperator op = tiling_operator(shape);
  return search_tiling(measurer.of(op), hardware, op, options);
}

}  // namespace tilewright
