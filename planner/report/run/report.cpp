#include "planner/report/run/report.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {

std::string_view name_of(CorePhase phase) {
  switch (phase) {
    case CorePhase::kCompute:
      return "compute";
    case CorePhase::kWaitA:
      return "wait_a";
    case CorePhase::kWaitB:
      return "wait_b";
    case CorePhase::kWaitAccumulator:
      return "wait_accumulator";
    case CorePhase::kWaitToken:
      return "wait_token";
    case CorePhase::kIdle:
      return "idle";
  }
  SIM_CHECK(false, "phase {}", static_cast<int>(phase));
}

double DramReport::hit_rate() const {
  const std::int64_t accesses = row_hits + row_misses + row_conflicts;
  return accesses == 0 ? 0 : static_cast<double>(row_hits) / static_cast<double>(accesses);
}

bool Report::check_ok() const {
  return !checked || std::all_of(checked->begin(), checked->end(), [](const CheckedOutput& o) { return o.ok; });
}

}  // namespace tilewright
