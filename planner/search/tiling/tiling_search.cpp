#include "planner/search/tiling/tiling_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "planner/constants/constants.h"
#include "planner/ir/spill.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/seeded_start.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

const TriedPoint kFormulas{.refine = false};

// Of so many points in a row that bring nothing one has a tile that was not tried: what is expected of points is least
// true of how well the units overlap, which is the tile's doing.
constexpr std::int64_t kIdlePerNewTile = 4;

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

void measure_points(const MeasurePoints& measure, TilingSearch& search, const SearchProgress& progress) {
  std::int64_t asked = 0, done = 0;
  const auto next = [&]() -> std::optional<TriedPoint> {
    const auto point = search.next();
    if (!point) return {};
    ++asked;
    return TriedPoint{.point = point};
  };
  measure(next, [&](const PointCost& cost) {
    search.report(cost);
    if (progress) progress(++done, asked + search.most_left());
  });
}

}  // namespace

TilingSearch::TilingSearch(const TilingProblem& problem, const Plan& plan, OperatorId op, const SearchOptions& options,
                           TilingStart start)
    : problem_(problem),
      options_(options),
      space_(problem),
      model_(problem, plan, op, options.objective),
      near_(std::move(start.near)),
      best_tried_(start.own),
      best_cost_(start.planned),
      best_value_(value_of(start.planned, options.objective)) {
  if (const double value = value_of(start.formulas, options.objective); value < best_value_)
    best_tried_ = kFormulas, best_cost_ = start.formulas, best_value_ = value;
  early_cost_ = best_cost_;
  scan_ = scan(space_, problem_, options.objective, limit(), options.exhaustive ? 0 : constants().tiling_candidates);
  if (!options.exhaustive) model_.add(space_, scan_.candidates);
  for (const auto& [point, cost] : start.known) mark_tried(point), learn(point, cost);
}

void TilingSearch::mark_tried(const TilingPoint& point) {
  const auto place = space_.nearest(point);
  if (!place || space_.point(*place) != point) return;
  tried_.insert(space_.number_of(*place));
  model_.drop(space_.number_of(*place));
}

std::optional<TilingPoint> TilingSearch::next() {
  const std::int64_t most = options_.exhaustive ? constants().tiling_under_way_exhaustive : options_.under_way;
  while (std::ssize(under_way_) >= most)
    if (!take_in_report()) return {};
  const auto point = choose();
  if (!point) return {};
  ++chosen_;
  model_.depart(*point), under_way_.push_back(*point);
  return point;
}

std::int64_t TilingSearch::budget() const {
  if (scan_.candidates.empty()) return options_.budget;
  const double gap = best_value_ / scan_.candidates.front().bound - 1;
  return options_.budget + std::llround(static_cast<double>(options_.more_if_far) * std::min(1.0, gap / options_.far));
}

std::optional<TilingPoint> TilingSearch::choose() {
  if (!near_.empty()) {
    const TilingPoint point = near_.front();
    near_.pop_front();
    mark_tried(point);
    return point;
  }
  if (options_.exhaustive) return choose_by_bound();
  if (idle_ >= options_.patience) return {};
  return chosen_ < budget() ? choose_by_acquisition() : std::nullopt;
}

std::optional<TilingPoint> TilingSearch::choose_by_bound() {
  for (; next_candidate_ < scan_.candidates.size() && worth(scan_.candidates[next_candidate_]); ++next_candidate_) {
    const std::int64_t number = scan_.candidates[next_candidate_].number;
    if (tried_.insert(number).second) return space_.point(number);
  }
  return {};
}

std::optional<TilingPoint> TilingSearch::choose_by_acquisition() {
  auto candidate = idle_ % kIdlePerNewTile == kIdlePerNewTile - 1 ? model_.take_of_new_tile(limit()) : std::nullopt;
  if (!candidate) candidate = model_.take(limit());
  if (!candidate) return {};
  tried_.insert(candidate->number);
  return space_.point(candidate->number);
}

// A point's cost, for the choice of those to come and as the best point if it is that.
void TilingSearch::learn(const TilingPoint& point, const Cost& cost) {
  const double value = value_of(cost, options_.objective);
  model_.learn(point, value);
  if (!best_ || value < value_of(best_point_cost_, options_.objective)) best_ = point, best_point_cost_ = cost;
}

void TilingSearch::report_other(const TilingPoint& point, const Cost& cost) {
  mark_tried(point);
  model_.depart(point);
  take_in(point, {.cost = cost});
}

void TilingSearch::report(const PointCost& cost) {
  SIM_CHECK(reported_.size() < under_way_.size(), "a report of nothing under way");
  reported_.push_back(cost);
}

// What the oldest point under way came to, if it is reported.
bool TilingSearch::take_in_report() {
  if (reported_.empty()) return false;
  take_in(under_way_.front(), reported_.front());
  under_way_.pop_front(), reported_.pop_front();
  return true;
}

// What a point counts as where one whose sums wait in the input buffers has to be better than others.
double TilingSearch::weighed(const TilingPoint& point, const Cost& cost) const {
  const double value = value_of(cost, options_.objective);
  if (options_.spill_gain == 0) return value;
  const Tiling tiling = tiling_of(point, largest_part(problem_, point), problem_.limits);
  const double wait = spill_wait(tiling, problem_.limits);
  if (wait == 0) return value;
  return value * (1 + wait / static_cast<double>(cost.cycles)) / (1 - options_.spill_gain);
}

void TilingSearch::take_in(const TilingPoint& point, const PointCost& cost) {
  model_.arrive(point);
  if (!cost.cost) {
    ++refused_;
    return;
  }
  ++measured_;
  learn(point, *cost.cost);
  const double value = weighed(point, *cost.cost);
  ++idle_;
  if (value >= best_value_) return;
  idle_ = 0;
  best_tried_ = {.point = point}, best_cost_ = *cost.cost, best_value_ = value;
  if (measured_ + refused_ <= options_.early) early_cost_ = best_cost_;
}

std::int64_t TilingSearch::count_left() const {
  std::int64_t left = scan_.dropped;
  for (std::size_t i = next_candidate_; i < scan_.candidates.size(); ++i)
    if (worth(scan_.candidates[i]) && !tried_.contains(scan_.candidates[i].number)) ++left;
  return left;
}

std::int64_t TilingSearch::most_left() const {
  if (!options_.exhaustive) return budget() - chosen_;
  const auto worth_it = [&](const TilingCandidate& candidate) { return worth(candidate); };
  const auto end = std::partition_point(scan_.candidates.begin(), scan_.candidates.end(), worth_it);
  return std::max<std::int64_t>(0, end - scan_.candidates.begin() - static_cast<std::int64_t>(next_candidate_));
}

SearchResult TilingSearch::finish() {
  while (take_in_report()) continue;
  SIM_CHECK(under_way_.empty(), "{} points are not reported", under_way_.size());
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

TilingStart measure_start(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                          const TriedPoint& own) {
  const std::vector<PointCost> costs = measure_all(measure, {own, kFormulas});
  for (const PointCost& cost : costs)
    if (!cost.cost) throw UserError(op.key, cost.refusal);
  TilingStart start{own, *costs[0].cost, *costs[1].cost, {}, {}};
  add_start(start, op, tiled_plan(op, hardware, own), start.planned);
  add_start(start, op, tiled_plan(op, hardware, kFormulas), start.formulas);
  return start;
}

TilingSearch begin_search(const Hardware& hardware, const TilingOperator& op, const SearchOptions& options,
                          const TilingStart& start) {
  const Plan planned = tiled_plan(op, hardware, kFormulas);
  TilingProblem problem = tiling_problem(planned, op.op);
  problem.limits.may_spill &= options.sums != Sums::kKept;
  problem.only_spilled = options.sums == Sums::kSpilled;
  return {problem, planned, op.op, options, start};
}

SearchResult finish_search(TilingSearch& search, const Hardware& hardware, const TilingOperator& op,
                           const TilingStart& start) {
  SearchResult result = search.finish();
  result.planned = outcome_of(op, hardware, start.own, start.planned);
  result.closed_form = outcome_of(op, hardware, kFormulas, start.formulas);
  result.best = outcome_of(op, hardware, result.best.point, result.best.cost);
  return result;
}

SearchResult search_tiling(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           const SearchOptions& options, const SearchProgress& progress) {
  return search_from(predicted_tiling(hardware, op), measure, hardware, op, options, progress);
}

SearchResult search_from(const TriedPoint& own, const MeasurePoints& measure, const Hardware& hardware,
                         const TilingOperator& op, const SearchOptions& options, const SearchProgress& progress) {
  TilingStart start = measure_start(measure, hardware, op, own);
  add_seeds(start, hardware, op, options);
  TilingSearch search = begin_search(hardware, op, options, start);
  measure_points(measure, search, progress);
  return finish_search(search, hardware, op, start);
}

namespace {

bool spills(const OperatorPlan& planned) {
  return std::ranges::any_of(planned.tilings, [](const Tiling& tiling) { return tiling.spilled > 0; });
}

// Whether larger partitions could make an operator faster, of which this is the plan.
bool waits_for_memory(const Plan& plan, OperatorId op) {
  const TilingBound bound = tiling_bound(tiling_problem(plan, op), point_of(plan, op));
  return bound.memory >= constants().spill_memory_share * bound.array;
}

TriedPoint best_of(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                   const SearchOptions& options, const TilingStart& start) {
  TilingSearch search = begin_search(hardware, op, options, start);
  measure_points(measure, search, {});
  return search.finish().best.point;
}

}  // namespace

TriedPoint best_of_refined(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           SearchOptions options) {
  const PointCost refined = measure_all(measure, {TriedPoint{}}).front();
  if (!refined.cost) throw UserError(op.key, refined.refusal);
  TilingStart start{{}, *refined.cost, *refined.cost, {}, {}};
  const Plan plan = tiled_plan(op, hardware, {});
  add_start(start, op, plan, start.planned);
  options.seeds.push_back(point_of(tiled_plan(op, hardware, kFormulas), op.op));
  add_seeds(start, hardware, op, options);
  if (!spills(plan.operators[op.op])) options.sums = Sums::kKept;
  return best_of(measure, hardware, op, options, start);
}

TriedPoint best_spilled(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                        const TriedPoint& own, SearchOptions options) {
  const Plan plan = tiled_plan(op, hardware, own);
  if (spills(plan.operators[op.op]) || !waits_for_memory(plan, op.op)) return own;
  const PointCost cost = measure_all(measure, {own}).front();
  if (!cost.cost) throw UserError(op.key, cost.refusal);
  options.sums = Sums::kSpilled;
  return best_of(measure, hardware, op, options, {own, *cost.cost, *cost.cost, {}, {}});
}

SearchResult search_tiling(TilingMeasurer& measurer, const Hardware& hardware, const OperatorShape& shape,
                           const SearchOptions& options) {
  const TilingOperator op = tiling_operator(shape);
  return search_tiling(measurer.of(op), hardware, op, options);
}

}  // namespace tilewright
