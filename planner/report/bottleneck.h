// What a run was limited by.
#pragma once

#include <string>

#include "planner/report/report.h"

namespace tilewright {

// One sentence, with the figure that says so.
std::string bottleneck_of(const Report& report);

}  // namespace tilewright
