// Studies as their files say them; files with mistakes stand in tests/bad_input/studies.
#include "planner/search/study/study_read.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "planner/search/study/study_points.h"
#include "tests/support/scratch_folder.h"

namespace tilewright {
namespace {

using Rows = std::vector<std::vector<std::string>>;

const std::string kFolder = TILEWRIGHT_SOURCE_DIR "/tests/studies/";

TEST(StudyFile, GivesRowsOfLinkedKeysAndOfRangesOfBothKinds) {
  const Study study = load_study(kFolder + "random.yaml");
  ASSERT_EQ(study.parameters.size(), 4U);
  EXPECT_THAT(study.parameters[0].keys, testing::ElementsAre("core.matmul.rows", "core.matmul.columns"));
  EXPECT_EQ(study.parameters[0].rows, (Rows{{"8", "16"}, {"16", "8"}, {"16", "16"}, {"32", "16"}}));
  EXPECT_EQ(study.parameters[1].rows, (Rows{{"64", "64"}, {"128", "128"}, {"256", "256"}, {"512", "512"}}));
  EXPECT_EQ(study.parameters[3].rows, (Rows{{"600"}, {"800"}, {"1000"}}));
  EXPECT_EQ(grid_size(study), 192);
}

TEST(StudyFile, GivesTheSearchAndTheObjectives) {
  const Study study = load_study(kFolder + "random.yaml");
  EXPECT_EQ(study.method, StudyMethod::kRandom);
  EXPECT_EQ(study.seed, 7U);
  EXPECT_EQ(drawn_points(study).size(), 12U);
  EXPECT_THAT(study.objectives, testing::ElementsAre(StudyFigure::kEdp, StudyFigure::kCost));
}

TEST(StudyFile, GivesWorkloadsWithTheirWeightsAndTypes) {
  const Study study = load_study(kFolder + "halving.yaml");
  ASSERT_EQ(study.workloads.size(), 2U);
  EXPECT_EQ(study.workloads[0].weight, 1);
  EXPECT_EQ(study.workloads[1].name, "tiny_attention");
  EXPECT_EQ(study.workloads[1].weight, 0.5);
  EXPECT_EQ(study.workloads[1].type, DataType::kFp16);
}

TEST(StudyFile, GivesTheDimensionsThatAModelNames) {
  const testing_support::ScratchFolder folder("study_dims");
  const std::string root = TILEWRIGHT_SOURCE_DIR, file = (folder.path() / "dims.yaml").string();
  std::ofstream(file) << "name: x\nhardware: " << root << "/hw_configs/edge_single.yaml\n"
                      << "parameters:\n  - {key: dram.channels, values: [1, 2]}\nobjectives: [latency]\n"
                      << "workloads:\n  - {file: " << root << "/traces/tiny_mlp.onnx, dims: {rows: 8, past + 1: 3}}\n";
  const Study study = load_study(file);
  EXPECT_EQ(study.workloads.at(0).dimensions, (std::map<std::string, std::int64_t>{{"past + 1", 3}, {"rows", 8}}));
}

TEST(StudyFile, GivesConstraints) {
  const Study study = load_study(kFolder + "tiny.yaml");
  EXPECT_EQ(study.constraints, (std::vector<StudyConstraint>{{StudyFigure::kArea, std::nullopt, 21.5}}));
}

// A study that comes with the project has no chip that its base or its parameters make impossible as a whole.
TEST(StudyFile, ReadyStudiesHaveChipsThatCanBeBuilt) {
  int studies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TILEWRIGHT_SOURCE_DIR "/hw_configs/studies")) {
    const Study study = load_study(entry.path().string());
    const std::int64_t size = grid_size(study);
    std::int64_t built = 0, tried = 0;
    for (std::int64_t point = 0; point < size; point += 1 + size / 29, ++tried)
      built += study_chip(study, point).hardware.has_value();
    EXPECT_GE(10 * built, 8 * tried) << entry.path();
    ++studies;
  }
  EXPECT_GE(studies, 3);
}

}  // namespace
}  // namespace tilewright
