// A study made by hand: two axes, four workload names, no files.
#pragma once

#include <string>

#include "planner/search/study/study_points.h"
#include "tests/support/files.h"

namespace tilewright::testing_support {

inline Study small_study() {
  Study study;
  study.name = "small";
  study.file = "small.yaml";
  study.hardware_file = "chip.yaml";
  study.hardware_text = read_file(TILEWRIGHT_SOURCE_DIR "/tests/golden/chips/four_cores.yaml");
  study.parameters = {{{"core.matmul.rows", "core.matmul.columns"}, {{"16", "16"}, {"32", "32"}}},
                      {{"dram.channels"}, {{"1"}, {"2"}, {"4"}}}};
  study.workloads = {{.name = "first", .file = "a.csv", .weight = 2}, {.name = "second", .file = "b.csv"}};
  study.objectives = {StudyFigure::kLatency, StudyFigure::kArea};
  return study;
}

inline WorkloadResult workload(const std::string& name, Picoseconds time) {
  return {.name = name, .cycles = time / 1000, .time = time, .energy_pj = 2.0 * static_cast<double>(time)};
}

}  // namespace tilewright::testing_support
