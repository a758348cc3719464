#include "planner/search/tiling/tiling_search.h"

#include <algorithm>
#include <tuple>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Candidates among which a bounded search chooses, lowest bounds first. The best of 96 measured points was among the
// first 600 on every chip and operator looked at.
constexpr std::int64_t kCandidates = 2048;
// Points of a round. Of a bounded search few: the next round knows more.
constexpr std::int64_t kExhaustiveRound = 32, kBoundedRound = 8;

Bytes accumulator_of(const Plan& plan, OperatorId op) {
  Bytes most = 0;
  for (const Tiling& tiling : plan.operators[op].tilings) most = std::max(most, tiling.acc_buffer_needed);
  return most;
}

TilingOutcome outcome_of(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point,
                         const Cost& cost) {
  return {point, cost, accumulator_of(tiled_plan(op, hardware, point), op.op)};
}

// Whether a point's choice makes the same program as the planner's own.
bool same_choice(const OperatorChoice& choice, const OperatorPlan& planned) {
  const auto same_item = [](const WorkItem& a, const WorkItem& b) {
    return a.core == b.core && a.output == b.output && a.k.size() == b.k.size();
  };
  const auto steps = [](const Tiling& t) {
    return std::tuple(t.partition_m, t.partition_n, t.partition_k, t.tile_m, t.tile_n, t.outer_rowmajor,
                      t.inner_rowmajor, t.a_stationary);
  };
  const auto same_steps = [&](const Tiling& a, const Tiling& b) { return steps(a) == steps(b); };
  return std::equal(choice.split.items.begin(), choice.split.items.end(), planned.split.items.begin(),
                    planned.split.items.end(), same_item) &&
         std::equal(choice.tilings.begin(), choice.tilings.end(), planned.tilings.begin(), planned.tilings.end(),
                    same_steps);
}

void add_start(TilingStart& start, const TilingOperator& op, const Plan& plan, const Cost& cost) {
  const TilingPoint point = point_of(plan, op.op);
  const bool same = same_choice(choice_of(point, op.graph, op.op, plan.hardware, op.type), plan.operators[op.op]);
  if (same)
    start.known.emplace_back(point, cost);
  else
    start.near.push_back(point);
}

}  // namespace

TilingSearch::TilingSearch(const TilingProblem& problem, const Plan& plan, OperatorId op, const SearchOptions& options,
                           TilingStart start)
    : problem_(problem),
      options_(options),
      space_(problem),
      model_(problem, plan, op, options.objective),
      near_(std::move(start.near)),
      best_cost_(start.planned),
      best_value_(value_of(start.planned, options.objective)) {
  if (const double value = value_of(start.formulas, options.objective); value < best_value_)
    best_tried_.refine = false, best_cost_ = start.formulas, best_value_ = value;
  early_cost_ = best_cost_;
  scan_ = scan(space_, problem_, options.objective, best_value_, options.exhaustive ? 0 : kCandidates);
  if (!options.exhaustive) model_.add(space_, scan_.candidates);
  for (const auto& [point, cost] : start.known) mark_tried(point), learn(point, cost);
}

void TilingSearch::mark_tried(const TilingPoint& point) {
  const auto place = space_.nearest(point);
  if (!place || space_.point(*place) != point) return;
  tried_.insert(space_.number_of(*place));
  model_.drop(space_.number_of(*place));
}

std::vector<TriedPoint> TilingSearch::next() {
  round_.clear();
  for (const TilingPoint& point : near_) mark_tried(point), round_.push_back(point);
  near_.clear();
  const std::size_t most = room() - std::min(room(), round_.size());
  if (options_.exhaustive)
    take_by_bound(most);
  else
    take_by_promise(most);
  std::vector<TriedPoint> points;
  for (const TilingPoint& point : round_) points.push_back({.point = point});
  return points;
}

// Points of a round.
std::size_t TilingSearch::room() const {
  const std::int64_t left = std::max<std::int64_t>(0, options_.budget - measured_ - refused_);
  return static_cast<std::size_t>(options_.exhaustive ? kExhaustiveRound : std::min(kBoundedRound, left));
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

void TilingSearch::take_by_promise(std::size_t most) {
  for (const TilingCandidate& candidate : model_.take(most, best_value_)) {
    tried_.insert(candidate.number);
    round_.push_back(space_.point(candidate.number));
  }
}

// A point's cost, for the choice of those to come and as the best point if it is that.
void TilingSearch::learn(const TilingPoint& point, const Cost& cost) {
  const double value = value_of(cost, options_.objective);
  model_.learn(point, value);
  if (!best_ || value < value_of(best_point_cost_, options_.objective)) best_ = point, best_point_cost_ = cost;
}

void TilingSearch::report(const std::vector<PointCost>& costs) {
  SIM_CHECK(costs.size() == round_.size(), "{} costs of {} points", costs.size(), round_.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!costs[i].cost) {
      ++refused_;
      continue;
    }
    ++measured_;
    learn(round_[i], *costs[i].cost);
    const double value = value_of(*costs[i].cost, options_.objective);
    if (value >= best_value_) continue;
    best_tried_.point = round_[i], best_cost_ = *costs[i].cost, best_value_ = value;
    if (measured_ + refused_ <= options_.early) early_cost_ = best_cost_;
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
  TilingStart start{*costs[0].cost, *costs[1].cost, {}, {}};
  add_start(start, op, planned, start.planned);
  add_start(start, op, tiled_plan(op, hardware, formulas), start.formulas);
  TilingSearch search(tiling_problem(planned, op.op), planned, op.op, options, std::move(start));
  std::int64_t done = 0;
  for (std::vector<TriedPoint> points = search.next(); !points.empty(); points = search.next()) {
    search.report(measure(points));
    done += std::ssize(points);
    if (progress) progress(done, options.exhaustive ? done + search.result().left : options.budget);
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
