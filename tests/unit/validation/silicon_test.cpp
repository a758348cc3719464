#include "validation/silicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tilewright {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<SiliconCandidate> candidates() {
  std::vector<SiliconCandidate> rows(20, {"a", false});
  rows.resize(25, {"b", false});
  rows.push_back({"a", true});
  return rows;
}

TEST(Silicon, DrawsSoManyOfEveryFamilyAndAllThatParametersComeFrom) {
  const auto rows = candidates();
  const auto drawn = draw_rows(rows, {.per_family = 3, .seed = 7});
  EXPECT_EQ(drawn.size(), 3 + 3 + 1);
  EXPECT_THAT(drawn, Contains(25));
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::count_if(drawn.begin(), drawn.end(), [&](std::size_t i) { return rows[i].family == "b"; }), 3);
}

TEST(Silicon, ADrawIsThatOfItsSeed) {
  const auto rows = candidates();
  const auto one = draw_rows(rows, {.per_family = 5, .seed = 1});
  EXPECT_EQ(one, draw_rows(rows, {.per_family = 5, .seed = 1}));
  EXPECT_NE(one, draw_rows(rows, {.per_family = 5, .seed = 2}));
}

TEST(Silicon, LargeRowsAreLeftToWholeTables) {
  std::vector<SiliconCandidate> rows(4, {"a", false});
  rows.push_back({"a", true, true});
  EXPECT_EQ(draw_rows(rows, {.per_family = 10}).size(), 4u);
  EXPECT_EQ(draw_rows(rows, {.per_family = 0}).size(), 5u);
}

TEST(Silicon, WithoutANumberEveryRowIsRun) {
  EXPECT_EQ(draw_rows(candidates(), {.per_family = 0}).size(), candidates().size());
}

TEST(Silicon, FiguresOfErrors) {
  const ErrorFigures figures = figures_of({4, 1, 2, 3, 10});
  EXPECT_EQ(figures.rows, 5u);
  EXPECT_DOUBLE_EQ(figures.mean, 4);
  EXPECT_DOUBLE_EQ(figures.median, 3);
  EXPECT_DOUBLE_EQ(figures.p90, 4 + 0.6 * 6);
  EXPECT_DOUBLE_EQ(figures.worst, 10);
  EXPECT_EQ(figures_of({}).rows, 0u);
}

TEST(Silicon, RowsThatParametersComeFromAreToldApart) {
  const std::string table =
      silicon_table({{"a", "judged", 100, 110, 50, false}, {"a", "fitted", 100, 101, 90, true}}, 1);
  EXPECT_THAT(table,
              HasSubstr("a            1    10.0    10.0    10.0    10.0      50.0    10.0       -      1     1.0"));
}

TEST(Silicon, AFamilyOfParameterRowsAloneHasNoFigures) {
  EXPECT_THAT(silicon_table({{"a", "fitted", 100, 101, 90, true}}, 1), HasSubstr("a            0       -       -"));
}

}  // namespace
}  // namespace tilewright
