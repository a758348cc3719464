// The tiling space and its search: numbers and points are one to one, every filter says the truth, the exhaustive mode
// finds what measuring everything finds, and results do not depend on the number of workers.
#include "planner/search/tiling/tiling_search.h"

#include <gmock/gmock.h>

#include <deque>
#include <set>

#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright::test {
namespace {

Hardware small_chip(const char* name = "edge_single") {
  Hardware hardware = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
  hardware.core.buffer_a = hardware.core.buffer_b = hardware.core.accumulator = 8192;
  return hardware;
}

TilingOperator matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  return tiling_operator({.dims = {1, m, n, k}});
}
TilingOperator convolution() {
  return tiling_operator({.kind = OperatorShape::Kind::kConv, .dims = {1, 9, 9, 6, 20, 3, 3, 1}});
}

TilingProblem problem_of(const TilingOperator& op, const Hardware& hardware) {
  return tiling_problem(tiled_plan(op, hardware, {}), op.op);
}

TEST(TilingSpace, NumbersAndPlacesAreOneToOne) {
  const Hardware hardware = small_chip("dual_cluster");
  const TilingSpace space(problem_of(matmul(96, 80, 128), hardware));
  ASSERT_GT(space.size(), 1000);
  for (std::int64_t number = 0; number < space.size(); ++number)
    ASSERT_EQ(space.number_of(space.place_of(number)), number);
}

TEST(TilingSpace, SizesCutEvenlyAndShrink) {
  EXPECT_THAT(even_sizes(96, 32), testing::ElementsAre(96, 64, 32));
  EXPECT_THAT(even_sizes(20, 32), testing::ElementsAre(20));
  EXPECT_THAT(even_sizes(7, 1), testing::ElementsAre(7, 4, 3, 2, 1));
  EXPECT_THAT(even_sizes(1, 1), testing::ElementsAre(1));
}

// Every point of the space: the filters' counts add up, what they let through is legal, what they remove is not, or is
// the same program as a point that is left.
TEST(TilingScan, FiltersSayTheTruth) {
  const Hardware hardware = small_chip("dual_cluster");
  for (const TilingOperator& op : {matmul(70, 96, 128), convolution()}) {
    const TilingProblem problem = problem_of(op, hardware);
    const TilingSpace space(problem);
    const TilingScan found = scan(space, problem, Objective::kCycles, 1e18);
    std::set<std::int64_t> kept;
    for (const TilingCandidate& candidate : found.candidates) kept.insert(candidate.number);
    FilterCounts counts{};
    for (std::int64_t number = 0; number < space.size(); ++number) {
      const auto refusal = refusal_of(space, problem, space.place_of(number));
      ASSERT_EQ(!refusal, kept.contains(number)) << to_string(space.point(number));
      if (refusal) ++counts[static_cast<int>(*refusal)];
      if (number % 7 != 0 || refusal == TilingFilter::kIdleCores) continue;
      const OperatorChoice choice = choice_of(space.point(number), op.graph, 0, hardware, op.type);
      const std::string fault = check_choice(choice, op.graph, hardware, op.type);
      ASSERT_EQ(fault.empty(), !refusal || refusal == TilingFilter::kSameProgram) << fault;
    }
    EXPECT_EQ(counts, found.removed);
  }
}

TEST(TilingScan, KeepsTheBestByBound) {
  const Hardware hardware = small_chip();
  const TilingProblem problem = problem_of(matmul(200, 200, 300), hardware);
  const TilingSpace space(problem);
  const TilingScan all = scan(space, problem, Objective::kEdp, 1e30),
                   some = scan(space, problem, Objective::kEdp, 1e30, 9);
  ASSERT_GT(all.candidates.size(), 100);
  ASSERT_EQ(some.candidates.size(), 9);
  EXPECT_TRUE(std::equal(some.candidates.begin(), some.candidates.end(), all.candidates.begin()));
  EXPECT_EQ(some.dropped + 9, std::ssize(all.candidates));
}

TEST(TilingSearchSlow, ExhaustiveModeFindsWhatMeasuringEverythingFinds) {
  const Hardware hardware = small_chip();
  const TilingOperator op = matmul(40, 64, 96);
  Session session(hardware);
  const MeasurePoints measure = measured_by(session, op);
  for (const Objective objective : {Objective::kCycles, Objective::kEnergy, Objective::kEdp}) {
    const SearchResult result = search_tiling(measure, hardware, op, {.objective = objective, .exhaustive = true});
    EXPECT_TRUE(result.proven());
    EXPECT_EQ(result.refused, 0);
    const TilingProblem problem = problem_of(op, hardware);
    const TilingSpace space(problem);
    double best = std::min(value_of(result.planned.cost, objective), value_of(result.closed_form.cost, objective));
    for (const TilingCandidate& candidate : scan(space, problem, objective, 1e30).candidates) {
      const PointCost cost = measure_point(session, op, {.point = space.point(candidate.number)});
      ASSERT_TRUE(cost.cost) << cost.refusal;
      best = std::min(best, value_of(*cost.cost, objective));
    }
    EXPECT_EQ(value_of(result.best.cost, objective), best) << name_of(objective);
    EXPECT_EQ(measure_point(session, op, result.best.point).cost, result.best.cost);
  }
}

// Points that all cost `gap` more than the least bound of the space: nothing is gained by any.
std::int64_t asked_at(double gap, const SearchOptions& options) {
  const Hardware hardware = small_chip();
  const TilingOperator op = matmul(200, 200, 300);
  const TilingProblem problem = problem_of(op, hardware);
  const double least = scan(TilingSpace(problem), problem, Objective::kCycles, 1e30, 1).candidates.front().bound;
  const PointCost cost{Cost{.cycles = static_cast<Cycles>((1 + gap) * least)}, {}};
  const MeasurePoints same = [&](const NextPoint& next, const PointDone& done) {
    while (next()) done(cost);
  };
  return search_from({}, same, hardware, op, options).measured;
}

TEST(TilingSearch, AsksForMoreTheFartherTheBestIsFromTheBound) {
  const SearchOptions options{.budget = 4, .more_if_far = 10, .far = 0.5, .under_way = 1};
  EXPECT_NEAR(static_cast<double>(asked_at(0.1, options)), 6, 1);
  EXPECT_NEAR(static_cast<double>(asked_at(0.25, options)), 9, 1);
  EXPECT_EQ(asked_at(0.5, options), 14);
  EXPECT_EQ(asked_at(4, options), 14);
  EXPECT_EQ(asked_at(4, {.budget = 4, .under_way = 1}), 4);
}

TEST(TilingSearch, DoesNotDependOnTheNumberOfWorkers) {
  const Hardware hardware = small_chip("dual_cluster");
  const TilingOperator op = convolution();
  std::vector<SearchResult> results;
  for (const int jobs : {1, 3}) {
    TilingMeasurer measurer(hardware, jobs);
    results.push_back(search_tiling(measurer.of(op), hardware, op, {.budget = 40}));
  }
  EXPECT_EQ(results[0].best.cost, results[1].best.cost);
  EXPECT_EQ(results[0].best_point, results[1].best_point);
  EXPECT_EQ(results[0].measured, results[1].measured);
  EXPECT_LE(results[0].measured, 40);
  EXPECT_LE(results[0].best.cost.cycles, results[0].closed_form.cost.cycles);
}

TEST(TilingSearch, ASmallerBudgetIsTheBeginningOfALarger) {
  const Hardware hardware = small_chip("dual_cluster");
  const TilingOperator op = convolution();
  TilingMeasurer measurer(hardware, 1);
  const SearchResult small = search_tiling(measurer.of(op), hardware, op, {.budget = 16});
  const SearchResult large = search_tiling(measurer.of(op), hardware, op, {.budget = 40});
  EXPECT_EQ(small.best.cost, large.early);
  EXPECT_EQ(small.early, large.early);
  EXPECT_GT(large.measured, 16);
  EXPECT_LT(large.best.cost.cycles, large.closed_form.cost.cycles);
}

// A search whose points cost far more than their bounds, so that none is proven not to be worth a measurement.
struct Simulated {
  const Hardware hardware = small_chip("dual_cluster");
  const TilingOperator op = convolution();
  const Plan plan = tiled_plan(op, hardware, {});
  const TilingProblem problem = problem_of(op, hardware);
  TilingSearch search;

  explicit Simulated(const SearchOptions& options, std::deque<TilingPoint> near = {})
      : search(problem, plan, 0, options,
               {.planned = {.cycles = 1 << 30}, .formulas = {.cycles = 1 << 30}, .near = std::move(near)}) {}
  void report(const TilingPoint& point) {
    search.report({Cost{.cycles = (1 << 20) + static_cast<Cycles>(tiling_bound(problem, point).cycles)}, {}});
  }
};

TEST(TilingSearch, ChoosesWithoutTheLastFewReportsWhetherTheyAreThereOrNot) {
  Simulated early({.budget = 30}), late({.budget = 30});
  std::vector<TilingPoint> chosen_early, chosen_late;
  while (const auto point = early.search.next()) chosen_early.push_back(*point), early.report(*point);
  std::deque<TilingPoint> under_way;
  std::size_t most = 0;
  for (;;) {
    while (const auto point = late.search.next()) chosen_late.push_back(*point), under_way.push_back(*point);
    most = std::max(most, under_way.size());
    if (under_way.empty()) break;
    late.report(under_way.front());
    under_way.pop_front();
  }
  EXPECT_EQ(chosen_early.size(), 30);
  EXPECT_EQ(chosen_early, chosen_late);
  EXPECT_EQ(most, 5);  // at a time
  EXPECT_EQ(early.search.finish().best_point, late.search.finish().best_point);
}

// Points near the planner's own tiling come first, and are not chosen again for what they acquisition.
TEST(TilingSearch, MeasuresNoPointTwice) {
  Simulated alone({.budget = 12});
  std::vector<TilingPoint> promising;
  while (const auto point = alone.search.next()) promising.push_back(*point), alone.report(*point);
  const std::deque<TilingPoint> near{promising[1], promising[3]};
  Simulated search({.budget = 12}, near);
  std::vector<TilingPoint> chosen;
  while (const auto point = search.search.next()) chosen.push_back(*point), search.report(*point);
  ASSERT_EQ(chosen.size(), 12);
  EXPECT_TRUE(std::equal(near.begin(), near.end(), chosen.begin()));
  std::set<std::string> distinct;
  for (const TilingPoint& point : chosen) distinct.insert(to_string(point));
  EXPECT_EQ(distinct.size(), 12);
}

// The planner's own tilings are no points to measure again: their costs are known.
TEST(TilingSearch, BestPointCostsWhatItMeasures) {
  const Hardware hardware = small_chip("dual_cluster");
  Session session(hardware);
  for (const TilingOperator& op : {matmul(40, 64, 96), matmul(200, 30, 17), convolution()}) {
    int asked = 0;
    const MeasurePoints measure = [&](const NextPoint& next, const PointDone& done) {
      measured_by(session, op)(next, [&](const PointCost& cost) { ++asked, done(cost); });
    };
    const SearchResult result = search_tiling(measure, hardware, op, {.budget = 1});
    ASSERT_TRUE(result.best_point);
    EXPECT_EQ(measure_point(session, op, {.point = result.best_point}).cost, result.best_point_cost);
    EXPECT_EQ(asked, 3);  // the planner's, the formulas' and one point
  }
}

TEST(TilingSearch, WhatCannotBeTiledIsTheUsersError) {
  Hardware hardware = small_chip();
  hardware.core.buffer_a = 2;
  TilingMeasurer measurer(hardware, 1);
  EXPECT_THROW(search_tiling(measurer, hardware, {.dims = {1, 40, 64, 96}}, {}), UserError);
}

TEST(TilingNetwork, EqualOperatorsAreOneTaskAndItsPointIsGivenToAll) {
  Graph graph;
  TensorId x = graph.add_tensor({.name = "x", .shape = {48, 64}, .kind = TensorKind::kInput});
  for (int i = 0; i < 3; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const TensorId w = graph.add_tensor({.name = name + ".w", .shape = {64, 64}, .kind = TensorKind::kConstant});
    const TensorId y =
        graph.add_tensor({.name = name, .shape = {48, 64}, .kind = i == 2 ? TensorKind::kOutput : TensorKind::kHidden});
    graph.add_operator({.name = name, .kind = OpKind::kMatMul, .inputs = {x, w}, .output = y});
    x = y;
  }
  const Plan plan = make_plan(graph, small_chip(), {});
  const std::vector<TilingTask> tasks = tiling_tasks(plan);
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_THAT(tasks[0].uses, testing::ElementsAre(0, 1, 2));
  TilingPoint point = point_of(plan, 0);
  point.tile_n = 16;
  const Plan chosen = make_plan(plan.graph, plan.hardware, with_points(plan, tasks, {{.point = point}}));
  for (const OperatorId id : {0, 1, 2}) EXPECT_EQ(chosen.operators[id].tilings[0].tile_n, 16);

  // The closed formulas' own tiling is a choice like any other.
  const Plan formulas = make_plan(plan.graph, plan.hardware, with_points(plan, tasks, {{.refine = false}}));
  const Plan alone = tiled_plan(tasks[0].op, plan.hardware, {.refine = false});
  for (const OperatorId id : {0, 1, 2}) EXPECT_EQ(formulas.operators[id].tilings, alone.operators[0].tilings);
}

}  // namespace
}  // namespace tilewright::test
