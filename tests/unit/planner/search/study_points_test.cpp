#include "planner/search/study/study_points.h"

#include <gmock/gmock.h>

#include <set>

#include "sim/base/error.h"
#include "tests/unit/planner/search/study_support.h"

namespace tilewright {
namespace {

using namespace testing_support;

TEST(Slice, TakesEveryNthFromTheIth) {
  const Slice slice = parse_slice("2/3");
  EXPECT_FALSE(slice.holds(0));
  EXPECT_TRUE(slice.holds(1));
  EXPECT_TRUE(slice.holds(4));
  for (const char* wrong : {"0/3", "4/3", "3", "1/0", "-1/2", "1/2/3", "a/b", ""})
    EXPECT_THROW(parse_slice(wrong), UserError) << wrong;
}

TEST(Slices, CoverARoundWithoutOverlap) {
  const Study study = small_study();
  PointResults results;
  results[2].workloads.resize(2);
  const OpenWork work = open_work(study, results);
  EXPECT_THAT(work.open, testing::ElementsAre(0, 1, 3, 4, 5));
  for (int count = 1; count <= 8; ++count) {
    std::multiset<std::int64_t> covered;
    for (int index = 1; index <= count; ++index)
      for (const std::int64_t point : slice_of(work, {index, count})) covered.insert(point);
    EXPECT_THAT(covered, testing::ElementsAreArray(work.open));
  }
}

TEST(RandomSample, IsDrawnBySeedWithoutRepeats) {
  Study study = small_study();
  study.parameters[0].rows.assign(1000, {"16", "16"});
  study.method = StudyMethod::kRandom;
  study.sample = 300;
  const std::vector<std::int64_t> points = drawn_points(study);
  EXPECT_EQ(std::set<std::int64_t>(points.begin(), points.end()).size(), 300u);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  EXPECT_GE(points.front(), 0);
  EXPECT_LT(points.back(), 3000);
  EXPECT_GT(points.back(), 2000);
  EXPECT_EQ(drawn_points(study), points);
  study.seed = 2;
  EXPECT_NE(drawn_points(study), points);
  study.sample = 5000;
  EXPECT_EQ(drawn_points(study).size(), 3000u);
}

// Results in which point p needs (p + 1) us for each workload measured.
PointResults after(const Study& study, const std::vector<std::int64_t>& points, std::size_t workloads) {
  PointResults results;
  for (const std::int64_t point : points) {
    PointResult& result = results[point] = study_chip(study, point).result;
    for (std::size_t i = 0; i < workloads; ++i) result.workloads.push_back(workload("w", (point + 1) * 1'000'000));
  }
  return results;
}

TEST(Halving, MeasuresOneWorkloadMoreOnTheBetterPart) {
  Study study = small_study();
  study.method = StudyMethod::kHalving;
  study.objectives = {StudyFigure::kLatency};
  study.keep = 0.4;
  EXPECT_EQ(rounds_of(study), 2);
  PointResults results = after(study, {0, 1, 2, 3, 4}, 1);
  EXPECT_EQ(open_work(study, results).round, 0);
  results = after(study, {0, 1, 2, 3, 4, 5}, 1);
  results[0].status = PointStatus::kIllegal;
  results[0].workloads.clear();
  OpenWork work = open_work(study, results);
  EXPECT_EQ(work.round, 1);
  EXPECT_THAT(work.open, testing::ElementsAre(1, 2));             // two of the five legal ones
  results[1].workloads.push_back(workload("w", 99'000'000'000));  // what a round measures does not change who is in it
  work = open_work(study, results);
  EXPECT_THAT(work.all, testing::ElementsAre(1, 2));
  EXPECT_THAT(work.open, testing::ElementsAre(2));
  results[2].workloads.push_back(workload("w", 1));
  EXPECT_TRUE(open_work(study, results).open.empty());
}

// By definition: a point's front is 0 when nothing dominates it, else one above the highest front of its dominators.
int front_by_definition(const std::vector<Figures>& points, std::size_t p) {
  int front = 0;
  for (std::size_t q = 0; q < points.size(); ++q)
    if (dominates(points[q], points[p])) front = std::max(front, front_by_definition(points, q) + 1);
  return front;
}

TEST(Pareto, FrontsAreThoseOfTheDefinition) {
  std::uint64_t state = 1;
  const auto digit = [&] {
    return static_cast<double>((state = state * 6364136223846793005u + 1442695040888963407u) >> 61);
  };
  for (int round = 0; round < 40; ++round) {
    std::vector<Figures> points;
    for (int i = 0; i < 14; ++i) points.push_back({digit(), digit(), digit()});
    const std::vector<int> fronts = front_of(points);
    for (std::size_t p = 0; p < points.size(); ++p) EXPECT_EQ(fronts[p], front_by_definition(points, p));
  }
}

TEST(Pareto, EqualPointsShareTheirFront) {
  EXPECT_THAT(front_of({{1, 2}, {2, 1}, {1, 2}, {2, 2}, {3, 3}}), testing::ElementsAre(0, 0, 0, 1, 2));
}

}  // namespace
}  // namespace tilewright
