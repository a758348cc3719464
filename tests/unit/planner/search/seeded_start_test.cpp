// Points of another chip as the beginning of a search: the nearest legal point is what looking at all finds, seeds are
// measured before anything that the search chooses, and they count in its budget.
#include "planner/search/tiling/seeded_start.h"

#include <gmock/gmock.h>

#include <cmath>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright::test {
namespace {

Hardware chip_with(Bytes buffers, const char* name = "edge_single") {
  Hardware hardware = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
  hardware.core.buffer_a = hardware.core.buffer_b = hardware.core.accumulator = buffers;
  return hardware;
}

TilingOperator product() { return tiling_operator({.dims = {1, 40, 64, 96}}); }

TilingOperator larger_product() { return tiling_operator({.dims = {1, 150, 160, 200}}); }

struct Space {
  TilingProblem problem;
  TilingSpace space;
  Space(const Hardware& hardware, const TilingOperator& op)
      : problem(tiling_problem(tiled_plan(op, hardware, {}), op.op)), space(problem) {}
};

double distance(const TilingPoint& a, const TilingPoint& b) {
  const auto ratio = [](std::int64_t x, std::int64_t y) {
    return std::abs(std::log2(static_cast<double>(x) / static_cast<double>(y)));
  };
  return ratio(a.partition_m, b.partition_m) + ratio(a.partition_n, b.partition_n) +
         ratio(a.partition_k, b.partition_k) + ratio(a.tile_m, b.tile_m) + ratio(a.tile_n, b.tile_n);
}

bool same_parts(const TilingPoint& a, const TilingPoint& b) {
  return a.parts_batch == b.parts_batch && a.parts_m == b.parts_m && a.parts_n == b.parts_n;
}

TEST(SeededStart, ALegalPointIsItsOwnNearest) {
  const Space here(chip_with(8192), larger_product());
  int legal = 0;
  for (std::int64_t number = 0; number < here.space.size(); number += 7) {
    if (refusal_of(here.space, here.problem, here.space.place_of(number))) continue;
    const TilingPoint point = here.space.point(number);
    ASSERT_EQ(nearest_legal(here.space, here.problem, point), point) << to_string(point);
    ++legal;
  }
  EXPECT_GT(legal, 20);
}

TEST(SeededStart, TheNearestIsLegalAndNoLegalOneOfItsPartsIsNearer) {
  const Space here(chip_with(4096), larger_product()), there(chip_with(65536, "dual_cluster"), larger_product());
  int moved = 0;
  for (std::int64_t number = 0; number < there.space.size(); number += there.space.size() / 40) {
    const TilingPoint wanted = there.space.point(number);
    const auto nearest = nearest_legal(here.space, here.problem, wanted);
    ASSERT_TRUE(nearest);
    const auto place = here.space.nearest(*nearest);
    ASSERT_TRUE(place && here.space.point(*place) == *nearest && !refusal_of(here.space, here.problem, *place));
    for (std::int64_t other = 0; other < here.space.size(); ++other) {
      const TilingPoint point = here.space.point(other);
      if (!same_parts(point, *nearest) || distance(point, wanted) >= distance(*nearest, wanted) - 1e-9) continue;
      ASSERT_TRUE(refusal_of(here.space, here.problem, here.space.place_of(other))) << to_string(point);
    }
    moved += *nearest != wanted;
  }
  EXPECT_GT(moved, 5);
}

TEST(SeededStart, NothingIsLegalWhereNoBlockFits) {
  Hardware hardware = chip_with(8192);
  const TilingOperator op = product();
  Space here(hardware, op);
  here.problem.limits.b_s1 = 1;
  EXPECT_FALSE(nearest_legal(here.space, here.problem, here.space.point(0)));
}

// The best of a chip is where the search of its twin begins.
class SeededSearch : public testing::Test {
 protected:
  const Hardware hardware_ = chip_with(8192);
  const TilingOperator op_ = product();
  Session session_{hardware_};
  std::vector<std::optional<TilingPoint>> asked_;

  SearchResult search(const SearchOptions& options) {
    asked_.clear();
    const MeasurePoints measure = [&](const NextPoint& next, const PointDone& done) {
      const auto noted = [&] {
        auto point = next();
        if (point) asked_.push_back(point->point);
        return point;
      };
      measured_by(session_, op_)(noted, done);
    };
    return search_from({.refine = false}, measure, hardware_, op_, options);
  }
};

TEST_F(SeededSearch, ASeedIsMeasuredFirstAndWinsWhereItIsBest) {
  const SearchResult all = search({.exhaustive = true});
  ASSERT_TRUE(all.best.point.point);
  const TilingPoint best = *all.best.point.point;
  const SearchResult alone = search({.budget = 1});
  ASSERT_GT(alone.best.cost.cycles, all.best.cost.cycles) << "an operator that a single measurement solves";
  const SearchResult seeded = search({.budget = 1, .seeds = {best}});
  EXPECT_EQ(seeded.best.cost, all.best.cost);
  EXPECT_EQ(seeded.best_point, best);
  EXPECT_THAT(asked_,
              testing::ElementsAre(std::nullopt, std::nullopt, best));  // behind the planner's and the formulas'
}

TEST_F(SeededSearch, SeedsCountInTheBudgetAndNoneIsMeasuredTwice) {
  const TilingPoint best = search({.exhaustive = true}).best.point.point.value();
  search({.budget = 4});
  const std::size_t without = asked_.size();
  search({.budget = 4, .seeds = {best, best}});
  EXPECT_LE(asked_.size(), without);
  EXPECT_EQ(std::count(asked_.begin(), asked_.end(), best), 1);
  search({.budget = 0, .seeds = {best}});
  EXPECT_EQ(std::count(asked_.begin(), asked_.end(), best), 0);
}

TEST_F(SeededSearch, ASeedTooLargeForTheBuffersIsBroughtToThem) {
  const Space there(chip_with(1 << 20, "dual_cluster"), op_);
  const TilingPoint large = there.space.point(0);
  const SearchResult result = search({.budget = 1, .seeds = {large}});
  EXPECT_EQ(result.refused, 0);
  EXPECT_EQ(std::count(asked_.begin(), asked_.end(), large), 0);
}

}  // namespace
}  // namespace tilewright::test
