#include "validation/report.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewright {
namespace {

TEST(ValidationReport, ABandIsInclusiveAndRelativeToTheReference) {
  ValidationReport report;
  report.add("g", "on the edge", "clocks", 200, 210, 5.0);
  report.add("g", "outside", "clocks", 200, 210.1, 5.0);
  report.add("g", "not judged", "clocks", 200, 400, std::nullopt);
  EXPECT_TRUE(report.rows[0].ok);
  EXPECT_FALSE(report.rows[1].ok);
  EXPECT_TRUE(report.rows[2].ok);
  EXPECT_DOUBLE_EQ(report.rows[2].error_percent, 100);
  EXPECT_FALSE(report.ok());
}

TEST(ValidationReport, NotANumberIsOutsideEveryBand) {
  ValidationReport report;
  report.add("g", "nan", "clocks", 200, std::nan(""), 5.0);
  report.add_share("g", "nan share", "share", 0.5, std::nan(""), 5.0);
  report.add_range("g", "nan range", "clocks", 1, 2, std::nan(""), 5.0);
  for (const ValidationRow& row : report.rows) EXPECT_FALSE(row.ok) << row.name;
}

TEST(ValidationReport, AZeroReferenceAcceptsOnlyZero) {
  ValidationReport report;
  report.add("g", "zero", "rows", 0, 0, 1.0);
  report.add("g", "not zero", "rows", 0, 0.1, 1.0);
  EXPECT_TRUE(report.rows[0].ok);
  EXPECT_FALSE(report.rows[1].ok);
}

TEST(ValidationReport, SharesAreJudgedInPointsAndRangesByTheirNearerEnd) {
  ValidationReport report;
  report.add_share("s", "hits", "share", 0.50, 0.53, 2.0);
  report.add_range("r", "inside", "bytes/clk", 10, 12, 11, 0.0);
  report.add_range("r", "above", "bytes/clk", 12, 10, 12.6, 5.0);
  EXPECT_NEAR(report.rows[0].error_percent, 3, 1e-9);
  EXPECT_FALSE(report.rows[0].ok);
  EXPECT_EQ(report.rows[1].error_percent, 0);
  EXPECT_NEAR(report.rows[2].error_percent, 5, 1e-9);
}

TEST(ValidationReport, ColumnsStayBelowEachOtherUnderLongNames) {
  ValidationReport report;
  const std::string longest(40, 'g');
  report.add(longest, "first", "clocks", 200, 200, 5.0);
  report.add("short", "second", "clocks", 200, 200, 5.0);
  const std::string text = to_text(report, false);
  const std::size_t head = text.find("  group"), first = text.find("  " + longest), second = text.find("  short");
  const auto worst_case = [&](const char* word, std::size_t line) { return text.find(word, line) - line; };
  EXPECT_EQ(worst_case("worst case", head), worst_case("first", first));
  EXPECT_EQ(worst_case("worst case", head), worst_case("second", second));
}

TEST(ValidationReport, SummaryKeepsTheOrderOfGroupsAndFindsTheWorst) {
  ValidationReport report;
  report.add("b", "one", "x", 100, 101, 2.0);
  report.add("a", "two", "x", 100, 100, 2.0);
  report.add("b", "three", "x", 100, 97, 2.0);
  const auto groups = report.summary();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].group, "b");
  EXPECT_EQ(groups[0].rows, 2);
  EXPECT_EQ(groups[0].outside, 1);
  EXPECT_EQ(groups[0].worst, "three");
  EXPECT_DOUBLE_EQ(groups[0].mean_abs_error, 2);
}

TEST(ValidationReport, CsvQuotesAndTextShowsRowsOutsideOnly) {
  ValidationReport report{"DRAM", "a paper", {}};
  report.add("g", "first, \"quoted\"", "clocks", 100, 100, 1.0);
  report.add("g", "second", "clocks", 100, 103, 1.0);
  EXPECT_EQ(to_csv(report),
            "group,name,metric,reference,ours,error_percent,band_percent,ok\n"
            "g,\"first, \"\"quoted\"\"\",clocks,100,100,0.000,1,1\n"
            "g,second,clocks,100,103,3.000,1,0\n");
  EXPECT_EQ(to_text(report, false).find("first"), std::string::npos);
  EXPECT_NE(to_text(report, false).find("OUT"), std::string::npos);
  EXPECT_NE(to_text(report, true).find("first"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
