// The rows of a report's table of operators.
#pragma once

#include <vector>

#include "planner/measure/energy.h"
#include "planner/report/run/make_report.h"

namespace tilewright {

// One per operator of the program, in its order; with a plan, also what was planned for it and its bound. Throws
// InternalError for a utilisation above 100 %.
std::vector<OperatorReport> operator_reports(const ReportInput& input, const EnergyReport& energy);

}  // namespace tilewright
