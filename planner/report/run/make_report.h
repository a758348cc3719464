// RunResult -> Report: ratios, energy and the sentence about the bottleneck, from counted figures only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "planner/report/run/report.h"
#include "sim/session.h"

namespace tilewright {

struct ReportInput {
  const Hardware& hardware;
  const Program& program;
  const RunResult& result;
  std::string workload;        // its name for people
  const Plan* plan = nullptr;  // absent: an instruction program from a file
  std::optional<std::vector<CheckedOutput>> checked{};
};

// Throws InternalError for a figure above its physical limit (bandwidth over peak, utilisation over 100 %, phases that
// do not add up, more work done than the workload has).
Report make_report(const ReportInput& input);

}  // namespace tilewright
