#include "validation/silicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/base/text_file.h"

namespace tilewright {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

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

// Three families of a row each: far off and judged, near and judged, not judged.
TEST(Silicon, AFamilyIsJudgedByItsLimitAndARowFarOffIsNamed) {
  const std::string path = testing::TempDir() + "/silicon_families.csv";
  write_text_file(path, "family,ours\nwide,140\nnear,105\nfree,300\n");
  std::string told;
  const SiliconSuite suite{
      .title = "chip",
      .unit = "us",
      .candidate =
          [](const CsvRow& row) {
            const bool is_free = row.text("family") == "free";
            return SiliconCandidate{.family = row.text("family"),
                                    .limit = is_free ? std::nullopt : std::optional(FamilyLimit{10})};
          },
      .run =
          [](const CsvRow& row) {
            return SiliconRow{.name = "row", .measured = 100, .ours = row.number("ours"), .roofline = 100};
          }};
  const ValidationReport report =
      validate_silicon(path, {.family_done = [&](const std::string& line) { told += line; }}, suite);
  EXPECT_FALSE(report.ok());
  const auto outside = std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return !row.ok; });
  EXPECT_EQ(outside, 1);
  EXPECT_THAT(report.table, HasSubstr("far off: wide row, measured 100 us, ours 140, +40.0 %, 10 % are asked"));
  EXPECT_THAT(report.table, Not(HasSubstr("far off: free")));
  EXPECT_LT(told.find("wide"), told.find("near"));
}

}  // namespace
}  // namespace tilewright
