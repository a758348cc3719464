// RunResult -> Report: ratios, energy, the rows of operators and the sentence about the bottleneck, from counted
// figures only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "planner/measure/energy.h"
#include "planner/report/run/report.h"
#include "sim/base/event.h"
#include "sim/base/units.h"
#include "sim/session.h"

namespace tilewright {

struct ReportInput {
  const Hardware& hardware;
  const Program& program;
  const RunResult& result;
  std::string workload;        // its name for people
  const Plan* plan = nullptr;  // absent: an instruction program from a file
  std::optional<std::vector<CheckedOutput>> checked{};
  std::int64_t checked_by_readers = 0;
};

// Throws InternalError for a figure above its physical limit (bandwidth over peak, utilisation over 100 %, phases that
// do not add up, more work done than the workload has).
Report make_report(const ReportInput& input);

// 0 where there is no whole.
inline double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

// What a share of a physical limit may come to: rounding of sums of doubles and of periods to picoseconds, no more.
inline constexpr double kMaxShareOfLimit = 1 + 1e-3;

inline std::int64_t count(const EventCounts& events, Event event) { return events[static_cast<int>(event)]; }

inline std::int64_t multiply_adds(const EventCounts& events) {
  std::int64_t macs = 0;
  for (const Event event : kMacEvents) macs += count(events, event);
  return macs;
}

// Rounded down: a bound may not grow.
inline Picoseconds bound_time(double cycles, const Clock& clock) {
  return static_cast<Picoseconds>(cycles * static_cast<double>(clock.period_ps));
}

// One per operator of the program, in its order; with a plan, also what was planned for it and its bound. Throws
// InternalError for a utilisation above 100 %.
std::vector<OperatorReport> operator_reports(const ReportInput& input, const EnergyReport& energy);

}  // namespace tilewright
