#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "planner/report/run/plan_text.h"
#include "planner/report/run/report.h"
#include "planner/report/run/text.h"
#include "sim/base/error.h"
#include "tests/unit/planner/report/sample_report.h"

namespace tilewright {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Text, WritesQuantitiesWithUnits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(time_text(0), "0.000 ns");
  EXPECT_EQ(time_text(1500), "1.500 ns");
  EXPECT_EQ(time_text(2'345'678'000), "2.346 ms");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
  EXPECT_EQ(energy_text(2.5e9), "2.500 mJ");
  EXPECT_EQ(percent_text(0.1234), "12.3 %");
  EXPECT_EQ(cycles_text(1001, Clock{1000}), "2 cycles at 1000 MHz");
}

TEST(Report, NoFigureIsPrintedThatIsNone) {
  EXPECT_NO_THROW(check_figures(sample_report()));
  Report lossy = sample_report();
  lossy.what_if[0].same_program = 2 * lossy.time;
  EXPECT_NO_THROW(check_figures(lossy)) << "a change may be a loss";
  Report negative = sample_report();
  negative.dram.written = -1;
  EXPECT_THAT([&] { to_text(negative); },
              testing::ThrowsMessage<InternalError>(HasSubstr("the report's figure 'dram.written_bytes' is -1")));
  Report infinite = sample_report();
  infinite.operators[0].picojoules = std::numeric_limits<double>::infinity();
  EXPECT_THAT([&] { to_json(infinite); },
              testing::ThrowsMessage<InternalError>(HasSubstr("'operators.0.dynamic_picojoules' is inf")));
}

TEST(Text, TellsTimeBandwidthEnergyAndBottleneck) {
  const std::string text = to_text(sample_report());
  EXPECT_THAT(text, HasSubstr("2.000 us = 2,001 cycles at 1000 MHz"));
  EXPECT_THAT(text, HasSubstr("1.000 us; the run took 2.00 times that"));
  EXPECT_THAT(text, HasSubstr("12.50 GB/s = 50.0 % of the peak of 25.00 GB/s"));
  EXPECT_THAT(text, HasSubstr("3 hits (75.0 %)"));
  EXPECT_THAT(text, HasSubstr("the DRAM."));
  EXPECT_THAT(text, HasSubstr("outputs of 1 operator compared, all agree"));
  EXPECT_THAT(text, Not(HasSubstr("fused")));
}

TEST(Text, ChipsOfMoreThan64CoresHaveARowForNeighbours) {
  Report report = sample_report();
  report.core_causes.resize(64, report.core_causes[1]);
  report.vector_busy.resize(64, 0.3);
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("per core:"), HasSubstr("\n  63         25.0 %")));
  report.core_causes.resize(65, report.core_causes[1]);
  report.vector_busy.resize(65, 0.3);
  const std::string text = to_text(report);
  EXPECT_THAT(text, AllOf(HasSubstr("means of 2 cores:"), HasSubstr("\n  0-1        37.5 %     12.5 %")));
  EXPECT_THAT(text, AllOf(HasSubstr("\n  62-63      25.0 %"), HasSubstr("\n  64         25.0 %")));
}

TEST(Text, TellsWhichOperandsCoresTakeFromEachOther) {
  const auto told = [](bool a, bool b) { return explain(Tiling{.hand_on_a = a, .hand_on_b = b}); };
  EXPECT_THAT(told(true, true), testing::HasSubstr("cores that read the same of A and of B take it from each other"));
  EXPECT_THAT(told(false, true), testing::HasSubstr("cores that read the same of B take it from each other"));
  EXPECT_THAT(told(false, false), testing::Not(testing::HasSubstr("take it from each other")));
}

TEST(Text, SaysWhenValuesDiffer) {
  Report report = sample_report();
  report.checked->front().ok = false;
  EXPECT_FALSE(report.check_ok());
  EXPECT_THAT(to_text(report), HasSubstr("THE OUTPUTS DIFFER"));
}

TEST(Text, AChipWithoutPricesHasNoEnergy) {
  Report report = sample_report();
  report.picojoules = 0;
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("Energy: no figures"));
  EXPECT_THAT(text, Not(HasSubstr("0.000 pJ")));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(Text, OperatorsKeepTheirKindAndTheEndOfALongName) {
  Report report = sample_report();
  report.operators[0].name = "/encoder/" + std::string(40, 'x') + "/self/query/MatMul";
  report.operators[0].kind = "LayerNormalization";
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("xx/self/query/MatMul LayerNormalization "));
  EXPECT_THAT(text, HasSubstr("\n  ...x"));
  EXPECT_THAT(text, HasSubstr("kind                      time"));
}

TEST(Json, IsValidAndCarriesTheFigures) {
  const auto json = nlohmann::json::parse(to_json(sample_report()));
  EXPECT_EQ(json["schema_version"], kSummarySchemaVersion);
  EXPECT_EQ(json["time_ps"], 2'000'400);
  EXPECT_EQ(json["total_cycles"], 2001);
  EXPECT_EQ(json["cores_time"].size(), 2u);
  EXPECT_EQ(json["dram"]["row_hit_percent"], 75.0);
  EXPECT_EQ(json["operators"].size(), 1u);
  EXPECT_EQ(json["values"]["ok"], true);
  double parts = 0;
  for (const auto& [name, value] : json["energy"]["components_picojoules"].items()) parts += value.get<double>();
  EXPECT_DOUBLE_EQ(parts, json["energy"]["total_picojoules"].get<double>());
}

TEST(Json, ReplacesBytesThatAreNoUtf8) {
  Report report = sample_report();
  report.workload = "net\xff";
  EXPECT_TRUE(nlohmann::json::accept(to_json(report)));
}

TEST(OperatorsCsv, QuotesFieldsAndLeavesOutWhatDidNotRun) {
  const std::string csv = operators_csv(sample_report());
  EXPECT_THAT(csv, HasSubstr("\n\"mm, \"\"first\"\"\",MatMul,0,1500000,1500,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

}  // namespace
}  // namespace tilewright
