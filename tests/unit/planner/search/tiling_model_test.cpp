// What a search expects of points: it takes the most promising first and none twice, learns from similar points, and
// spreads the points under way.
#include "planner/search/tiling/tiling_model.h"

#include <gmock/gmock.h>

#include <set>

#include "planner/search/tiling/tiling_measurer.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright::test {
namespace {

constexpr double kNoLimit = 1e30;

struct Modelled {
  Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/dual_cluster.yaml");
  TilingOperator op = tiling_operator({.dims = {1, 384, 256, 128}});
  Plan plan = tiled_plan(op, hardware, {});
  TilingProblem problem = tiling_problem(plan, 0);
  TilingSpace space{problem};
  std::vector<TilingCandidate> candidates = scan(space, problem, Objective::kCycles, kNoLimit, 200).candidates;
  TilingModel model{problem, plan, 0, Objective::kCycles};

  Modelled() { model.add(space, candidates); }
  double bound(std::int64_t number) const { return tiling_bound(problem, space.point(number)).cycles; }
};

// The numbers of all candidates left, the most promising first.
std::vector<std::int64_t> take_all(TilingModel& model, double limit = kNoLimit) {
  std::vector<std::int64_t> found;
  while (const auto candidate = model.take(limit)) found.push_back(candidate->number);
  return found;
}

TEST(TilingModel, TakesEveryCandidateOnceAndNoneAboveTheLimit) {
  Modelled m;
  const double limit = m.candidates[150].bound;
  m.model.drop(m.candidates[3].number);
  std::set<std::int64_t> seen;
  while (const auto candidate = m.model.take(limit)) {
    EXPECT_LT(candidate->bound, limit);
    EXPECT_TRUE(seen.insert(candidate->number).second) << candidate->number;
  }
  const auto below = std::count_if(m.candidates.begin(), m.candidates.end(), [&](auto& c) { return c.bound < limit; });
  EXPECT_EQ(std::ssize(seen), below - 1);
  EXPECT_FALSE(seen.contains(m.candidates[3].number));
}

// A point that measured twice what was expected makes those like it less promising than without.
TEST(TilingModel, LearnsFromSimilarPoints) {
  Modelled without, with;
  const std::vector<std::int64_t> order = take_all(without.model);
  const TilingCandidate first = *with.model.take(kNoLimit);
  ASSERT_EQ(first.number, order.front());
  const TilingPoint point = with.space.point(first.number);
  with.model.learn(point, 2 * with.bound(first.number));
  for (int i = 0; i < 20; ++i) with.model.learn(with.space.point(order[60 + i]), with.bound(order[60 + i]));
  const auto similar = std::find_if(order.begin() + 1, order.end(), [&](std::int64_t number) {
    const TilingPoint other = without.space.point(number);
    return other.partition_m == point.partition_m && other.partition_n == point.partition_n;
  });
  ASSERT_NE(similar, order.end());
  std::vector<std::int64_t> learnt = take_all(with.model);
  learnt.insert(learnt.begin(), first.number);
  EXPECT_GT(std::find(learnt.begin(), learnt.end(), *similar) - learnt.begin(), similar - order.begin());
}

// A point under way makes those like it less promising, and once it has arrived they are what they were.
TEST(TilingModel, SpreadsThePointsUnderWay) {
  Modelled without, with, arrived;
  const TilingPoint point = with.space.point(with.model.take(kNoLimit)->number);
  without.model.take(kNoLimit), arrived.model.take(kNoLimit);
  with.model.depart(point);
  arrived.model.depart(point), arrived.model.arrive(point);
  const std::vector<std::int64_t> order = take_all(without.model);
  EXPECT_NE(take_all(with.model), order);
  EXPECT_EQ(take_all(arrived.model), order);
}

// Points known and points under way have the tiles that are not new; with none left there is no candidate.
TEST(TilingModel, TakesCandidatesOfNewTiles) {
  Modelled m;
  std::set<std::pair<std::int64_t, std::int64_t>> tiles;
  const auto tile = [&](std::int64_t number) {
    const TilingPoint point = m.space.point(number);
    return std::pair(point.tile_m, point.tile_n);
  };
  const TilingCandidate first = *m.model.take(kNoLimit);
  m.model.learn(m.space.point(first.number), first.bound);
  tiles.insert(tile(first.number));
  while (const auto candidate = m.model.take_of_new_tile(kNoLimit)) {
    EXPECT_TRUE(tiles.insert(tile(candidate->number)).second) << candidate->number;
    m.model.depart(m.space.point(candidate->number));
  }
  for (const TilingCandidate& candidate : m.candidates) EXPECT_TRUE(tiles.contains(tile(candidate.number)));
}

TEST(TilingModel, PredictsThePlannersOwnTilingNoSlowerThanTheFormulas) {
  Modelled m;
  TilingPrediction prediction(m.plan, 0);
  const TilingPoint formulas = point_of(tiled_plan(m.op, m.hardware, {.refine = false}), 0), own = point_of(m.plan, 0);
  EXPECT_NE(own, formulas);
  EXPECT_LT(prediction.cycles(own), prediction.cycles(formulas));
}

}  // namespace
}  // namespace tilewright::test
