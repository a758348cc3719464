#include "planner/report/bottleneck.h"

#include <fmt/format.h>

#include <numeric>

#include "planner/report/figures.h"

namespace tilewright {

std::string bottleneck_of(const Report& report) {
  const auto share = [&](CorePhase phase) { return report.mean_time[static_cast<int>(phase)]; };
  const auto percent = [](double value) { return fmt::format("{:.0f} %", 100 * value); };
  const double waits = share(CorePhase::kWaitA) + share(CorePhase::kWaitB);
  const double vector =
      ratio(std::accumulate(report.vector_busy.begin(), report.vector_busy.end(), 0.0), report.vector_busy.size());
  if (report.dram.share_of_peak() > 0.7)
    return fmt::format("DRAM bandwidth: {} of its peak is used", percent(report.dram.share_of_peak()));
  if (share(CorePhase::kCompute) > 0.6)
    return fmt::format("the matmul units: they compute {} of the time", percent(share(CorePhase::kCompute)));
  if (vector > 0.5) return fmt::format("the vector units: they work {} of the time", percent(vector));
  if (waits >= share(CorePhase::kCompute) && waits >= share(CorePhase::kIdle))
    return fmt::format("loading operands: the matmul units wait {} of the time for A or B, with DRAM at {} of its peak",
                       percent(waits), percent(report.dram.share_of_peak()));
  if (share(CorePhase::kIdle) >= share(CorePhase::kCompute))
    return fmt::format(
        "too little matmul work at hand: the matmul units are idle {} of the time, the vector units work {}",
        percent(share(CorePhase::kIdle)), percent(vector));
  return fmt::format("no single unit: computing {}, waiting for operands {}, for others {}",
                     percent(share(CorePhase::kCompute)), percent(waits),
                     percent(share(CorePhase::kWaitToken) + share(CorePhase::kWaitAccumulator)));
}

}  // namespace tilewright
