#include "planner/estimate/dram_efficiency.h"

#include <algorithm>
#include <numeric>

#include "planner/constants/constants.h"

namespace tilewright {

double visit_efficiency(const DramSpec& dram, Bytes run) {
  const int channels = dram.channels / dram.regions;  // of a region, a whole number
  const double most = channels;
  const double visited = std::clamp(static_cast<double>(run) / static_cast<double>(dram.interleave_bytes), 1.0, most);
  const double bursts = std::max(1.0, static_cast<double>(run) / static_cast<double>(dram.burst_bytes) / visited);
  const double wanted = std::min(1.0, static_cast<double>(run) / static_cast<double>(dram.burst_bytes));
  return wanted * bursts / (bursts + constants().row_visit_bursts);
}

double channel_share(const DramSpec& dram, Bytes run, Bytes pitch) {
  if (dram.interleave_hash || run >= pitch) return 1;
  const std::int64_t channels = dram.channels / dram.regions;
  const Bytes period = channels * dram.interleave_bytes;
  const std::int64_t places = period / std::gcd(pitch, period);  // beginnings that differ modulo the period
  const std::int64_t chunks = places * ceil_div(run, dram.interleave_bytes);
  return static_cast<double>(std::min(channels, chunks)) / static_cast<double>(channels);
}

}  // namespace tilewright
