// One parameter of a study file.
#pragma once

#include "planner/search/study/study.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {

// `key` or `keys`, and the values, as a list, a range or a logarithmic range. Recorded as problems: unknown keys, and
// values that a hardware file would not take there.
StudyParameter read_study_parameter(YamlMap& map);

}  // namespace tilewright
