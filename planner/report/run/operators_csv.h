// One row per operator that ran: operators.csv.
#pragma once

#include <string>

#include "planner/report/run/report.h"

namespace tilewright {

// Cycles of the core clock; fields quoted as RFC 4180 says.
std::string operators_csv(const Report& report);

}  // namespace tilewright
