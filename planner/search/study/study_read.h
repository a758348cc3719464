// A study file -> Study. docs/exploration.md explains every key.
#pragma once

#include <string>

#include "planner/search/study/study.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {

// Throws UserError with every problem of the file, each `file:line: key.path: got 'x', expected ...`; also when the
// base chip or a workload file cannot be read. Files are found relative to the study's folder.
Study load_study(const std::string& path);

// One parameter: `key` or `keys`, and the values, as a list, a range or a logarithmic range. Recorded as problems:
// unknown keys, and values that a hardware file would not take there.
StudyParameter read_study_parameter(YamlMap& map);

}  // namespace tilewright
