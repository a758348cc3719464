#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "planner/report/study/study_json.h"
#include "planner/report/study/study_results.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/hw/timing/area.h"
#include "tests/unit/planner/search/study_support.h"

namespace tilewright {
namespace {

using namespace testing_support;

TEST(Study, PointsAreNumbersWithTheLastParameterFastest) {
  const Study study = small_study();
  ASSERT_EQ(grid_size(study), 6);
  for (std::int64_t point = 0; point < 6; ++point) {
    const Hardware chip = hardware_of(study, point);
    EXPECT_EQ(chip.core.matmul.rows, point < 3 ? 16 : 32);
    EXPECT_EQ(chip.core.matmul.columns, chip.core.matmul.rows);
    EXPECT_EQ(chip.dram.channels, 1 << point % 3);
    EXPECT_EQ(chip.name, "small_" + std::to_string(point));
  }
}

TEST(Study, SettingsMakeReplaceAndTakeOutKeys) {
  const std::string text = "name: x\ncore: {matmul: {rows: 8}}\nnetwork: {topology: mesh, rows: 2}\n";
  const std::string changed = apply_settings(text, {{"core.matmul.rows", "4"},
                                                    {"network.rows", "~"},
                                                    {"cluster_memory.ways", "8"},
                                                    {"dram.timing.CL", "~"},
                                                    {"area", "{mm2_per_mac: 0.5}"}});
  EXPECT_EQ(changed,
            "name: x\ncore: {matmul: {rows: 4}}\nnetwork: {topology: mesh}\ncluster_memory:\n  ways: 8\n"
            "area: {mm2_per_mac: 0.5}\n");
}

TEST(Study, AChipThatCannotBeBuiltNamesItsFile) {
  Study study = small_study();
  study.parameters.push_back({{"core.buffer_a_kib"}, {{"0"}}});
  const StudiedChip chip = study_chip(study, 2);
  EXPECT_EQ(chip.result.status, PointStatus::kIllegal);
  EXPECT_THAT(chip.result.reason, testing::StartsWith("point_2.yaml:"));
  EXPECT_THAT(chip.result.reason, testing::HasSubstr("core.buffer_a_kib: got '0'"));
  EXPECT_FALSE(chip.hardware.has_value());
}

TEST(Study, JsonGivesTheSameStudyAgain) {
  Study study = small_study();
  study.constraints = {{StudyFigure::kArea, std::nullopt, 12.5}, {StudyFigure::kEnergy, 1, std::nullopt}};
  study.method = StudyMethod::kHalving;
  study.sample = 4;
  study.seed = 77;
  study.keep = 0.25;
  EXPECT_EQ(study_from_json(to_json(study)), study);
  study.planner = {.method = PlannerMethod::kTuned, .budget = 12};
  EXPECT_EQ(study_from_json(to_json(study)), study);
  study.planner = {PlannerMethod::kDatabase, 0, "tiles.db", "0123", Objective::kEnergy};
  EXPECT_EQ(study_from_json(to_json(study)), study);
  study.workloads[0].planner = {.method = PlannerMethod::kClosedForm};
  study.workloads[1].dimensions = {{"sequence_length", 128}};
  EXPECT_EQ(study_from_json(to_json(study)), study);
}

TEST(Study, IdentityIsEverythingButWhereFilesLie) {
  const Study study = small_study();
  Study moved = study, heavier = study, tuned = study, longer = study, closed = study;
  moved.file = "elsewhere/small.yaml";
  moved.hardware_file = "elsewhere/chip.yaml";
  moved.workloads[0].file = "elsewhere/a.csv";
  heavier.workloads[1].weight = 3;
  tuned.planner = {.method = PlannerMethod::kTuned, .budget = 12};
  EXPECT_EQ(identity_of(study), identity_of(moved));
  EXPECT_NE(identity_of(study), identity_of(heavier));
  EXPECT_NE(identity_of(study), identity_of(tuned));
  longer.workloads[0].dimensions = {{"sequence_length", 128}};
  closed.workloads[0].planner = {.method = PlannerMethod::kClosedForm};
  EXPECT_NE(identity_of(study), identity_of(longer));
  EXPECT_NE(identity_of(study), identity_of(closed));
}

TEST(StudyResult, FiguresAreWeightedSumsOverTheWorkloads) {
  const Study study = small_study();
  PointResult result = study_chip(study, 0).result;
  EXPECT_TRUE(objectives_of(study, result).empty());
  result.workloads = {workload("first", 3'000'000), workload("second", 1'000'000)};
  EXPECT_DOUBLE_EQ(figure_of(study, result, StudyFigure::kLatency).value(), 7);  // us
  EXPECT_DOUBLE_EQ(figure_of(study, result, StudyFigure::kEnergy).value(), 14);  // uJ
  EXPECT_DOUBLE_EQ(figure_of(study, result, StudyFigure::kEdp).value(), 0.098);  // nJ s
  EXPECT_DOUBLE_EQ(figure_of(study, result, StudyFigure::kMultiplyAdds).value(), 4 * 16 * 16);
  EXPECT_DOUBLE_EQ(figure_of(study, result, StudyFigure::kOnChip).value(), 4 * 3 * 256);
}

TEST(StudyResult, JsonGivesTheSamePointAgain) {
  const Study study = small_study();
  PointResult result = study_chip(study, 4).result;
  result.workloads = {workload("first", 3'000'001)};
  result.workloads[0].time_percent = {{"compute", 33.25}, {"idle", 66.75}};
  result.workloads[0].bottleneck = "none";
  const nlohmann::ordered_json json = to_json(study, result);
  EXPECT_EQ(to_json(study, point_from_json(json)), json);
  EXPECT_EQ(json.at("parameters").at("dram.channels"), 2);
}

TEST(StudyResult, ConstraintsOnTheChipSpareTheRunsAndOthersJudgeThem) {
  Study study = small_study();
  study.constraints = {{StudyFigure::kMultiplyAdds, std::nullopt, 1024}, {StudyFigure::kLatency, std::nullopt, 6.5}};
  EXPECT_EQ(study_chip(study, 3).result.reason, "multiply_adds_per_cycle is 4096, allowed are at most 1024");
  EXPECT_FALSE(study_chip(study, 3).hardware.has_value());
  PointResult slow = study_chip(study, 0).result;
  ASSERT_EQ(slow.status, PointStatus::kMeasured);
  slow.workloads = {workload("first", 3'000'000)};
  PointResult second = study_chip(study, 0).result;
  second.workloads = {workload("second", 1'000'000)};
  const PointResult both = joined(study, &slow, second);
  EXPECT_EQ(both.workloads.size(), 2u);
  EXPECT_EQ(both.status, PointStatus::kExcluded);
  EXPECT_EQ(both.reason, "latency_us is 7, allowed are at most 6.5");
}

TEST(Area, IsTheSumOfItsComponents) {
  const Hardware chip = load_hardware(TILEWRIGHT_SOURCE_DIR "/tests/golden/chips/four_cores.yaml");
  double sum = 0;
  std::map<std::string, double> parts;
  for (const ComponentArea& part : areas_of(chip)) sum += parts[part.component] = part.mm2;
  EXPECT_DOUBLE_EQ(parts.at("matmul"), 0.00067 * 4 * 1024);
  EXPECT_DOUBLE_EQ(parts.at("vector"), 0.01 * 4 * 32);
  EXPECT_DOUBLE_EQ(parts.at("buffers"), 0.00085 * 4 * 768);
  EXPECT_DOUBLE_EQ(parts.at("network"), 0.1 * (2 + 4));
  EXPECT_DOUBLE_EQ(parts.at("dram"), 4.0 * 4);
  EXPECT_DOUBLE_EQ(area_mm2(chip), sum);
  EXPECT_DOUBLE_EQ(cost_of(chip), 0.15 * sum + 8 * 4);
}

TEST(StudyResults, HoldNoFigureThatIsNone) {
  const Study study = small_study();
  PointResult point = study_chip(study, 0).result;
  point.workloads = {workload("first", 1000), workload("second", 2000)};
  EXPECT_NO_THROW(study_results(study, {{0, point}}));
  PointResult infinite = point;
  infinite.workloads[0].energy_pj = std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      [&] {
        study_results(study, {{0, infinite}});
      },
      testing::ThrowsMessage<InternalError>(testing::HasSubstr("'points.0.figures.energy_uj' is inf")));
  PointResult negative = point;
  negative.workloads[1].dram_read = -1;
  EXPECT_THAT(
      [&] {
        study_results(study, {{0, negative}});
      },
      testing::ThrowsMessage<InternalError>(testing::HasSubstr("points.0.workloads.1.")));
}

}  // namespace
}  // namespace tilewright
