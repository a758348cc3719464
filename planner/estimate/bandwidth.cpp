#include "planner/estimate/bandwidth.h"

#include <algorithm>
#include <numeric>

#include "planner/constants/constants.h"

namespace tilewright {
namespace {

// One packet per clock of the network. Without routers a packet is a whole request.
double link_peak(const Hardware& hardware) {
  const NetworkSpec& network = hardware.network;
  const Bytes packet =
      network.topology == Topology::kSimple ? hardware.core.dma.request_bytes : Bytes{network.flit_bytes};
  return static_cast<double>(packet * hardware.core_clock.period_ps) / static_cast<double>(network.clock.period_ps);
}

}  // namespace

double dram_peak(const Hardware& hardware) { return hardware.dram_bytes_per_cycle(); }

double injection_peak(const Hardware& hardware) { return link_peak(hardware) * hardware.network.channels; }

double cluster_peak(const Hardware& hardware) { return link_peak(hardware) * hardware.network.ports_per_cluster; }

double peer_peak(const Hardware& hardware) { return link_peak(hardware); }

double bandwidth_share(const Hardware& hardware, int cores) {
  const double memory = std::min(dram_peak(hardware), injection_peak(hardware)) / cores;
  const double cluster = cluster_peak(hardware) / std::min(cores, hardware.cores_per_cluster);
  return std::min({memory, cluster, static_cast<double>(hardware.core.dma.buffer_bytes_per_cycle)});
}

double cluster_memory_share(const Hardware& hardware) {
  const auto port = static_cast<double>(hardware.core.dma.buffer_bytes_per_cycle);
  if (!hardware.cluster_memory) return port;
  const ClusterMemorySpec& memory = *hardware.cluster_memory;
  const auto banks = static_cast<double>(memory.banks * memory.bank_bytes_per_cycle);
  return std::min(port, banks / hardware.cores_per_cluster);
}

double visit_efficiency(const DramSpec& dram, Bytes run) {
  const int channels = dram.channels / dram.regions;  // of a region, a whole number
  const double most = channels;
  const double visited = std::clamp(static_cast<double>(run) / static_cast<double>(dram.interleave_bytes), 1.0, most);
  const double bursts = std::max(1.0, static_cast<double>(run) / static_cast<double>(dram.burst_bytes) / visited);
  return bursts / (bursts + constants().row_visit_bursts);
}

double burst_share(const DramSpec& dram, Bytes run, Bytes pitch) {
  const Bytes step =
      std::gcd(std::gcd(run, pitch), dram.burst_bytes);  // between the places in a burst where runs begin
  return static_cast<double>(run) / static_cast<double>(run + dram.burst_bytes - step);
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
