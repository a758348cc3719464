#include "planner/passes/tile/run_efficiency.h"

#include <algorithm>
#include <numeric>

namespace tilewright {

double visit_efficiency(const DramSpec& dram, Bytes run) {
  const double most = dram.channels / dram.regions;
  const double visited = std::clamp(static_cast<double>(run) / static_cast<double>(dram.interleave_bytes), 1.0, most);
  const double bursts = std::max(1.0, static_cast<double>(run) / static_cast<double>(dram.burst_bytes) / visited);
  return bursts / (bursts + 0.7);
}

double channel_share(const DramSpec& dram, Bytes run, Bytes pitch) {
  if (dram.interleave_hash || run >= pitch) return 1;
  const std::int64_t channels = dram.channels / dram.regions;
  const Bytes period = channels * dram.interleave_bytes;
  const std::int64_t places = period / std::gcd(pitch, period);  // beginnings that differ modulo the period
  const std::int64_t grains = places * ceil_div(run, dram.interleave_bytes);
  return static_cast<double>(std::min(channels, grains)) / static_cast<double>(channels);
}

}  // namespace tilewright
