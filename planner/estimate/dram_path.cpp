#include "planner/estimate/dram_path.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/estimate/bandwidth.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {

TransferTime& TransferTime::operator+=(const TransferTime& other) {
  dram += other.dram, port += other.port;
  load_lane += other.load_lane, store_lane += other.store_lane;
  to_memory += other.to_memory, from_memory += other.from_memory;
  return *this;
}

double TransferTime::longest() const { return std::max({dram, to_memory, from_memory, port, load_lane, store_lane}); }

DramPath::DramPath(const Hardware& hardware, int cores)
    : network_(hardware.network),
      request_(dram_request_limits(hardware).longest()),
      dram_(dram_peak(hardware) / cores),
      port_(static_cast<double>(hardware.core.dma.buffer_bytes_per_cycle)),
      requests_(hardware.core.dma.requests_per_cycle),
      setup_(static_cast<double>(hardware.core.dma.setup_cycles)) {
  const double of_cluster =
      static_cast<double>(network_.ports_per_cluster) / std::min(cores, hardware.cores_per_cluster);
  const double of_channels = static_cast<double>(network_.channels) / cores;
  flits_ = std::min(of_cluster, of_channels) * static_cast<double>(hardware.core_clock.period_ps) /
           static_cast<double>(network_.clock.period_ps);
}

double DramPath::flits_for(Bytes payload) const {
  return network_.topology == Topology::kSimple ? 1.0 : static_cast<double>(network_.flits_for(payload));
}

DramPath::Packets DramPath::packets_of(DramRun run) const {
  const Bytes step = std::gcd(std::gcd(run.bytes, run.pitch), request_);  // between places where runs begin
  const auto bytes = static_cast<double>(run.bytes);
  const double requests = static_cast<double>(run.bytes + request_ - step) / static_cast<double>(request_);
  return {requests / bytes, requests * flits_for(std::llround(bytes / requests)) / bytes};
}

TransferTime DramPath::moved(double bytes, double efficiency) const {
  return {.dram = bytes / efficiency / dram_, .port = bytes / port_};
}

// A read asks with a packet without data, and a write is answered with one.
TransferTime DramPath::loaded(double bytes, double transfers, DramRun run, double efficiency) const {
  const Packets packets = packets_of(run);
  TransferTime time = moved(bytes, efficiency);
  time.load_lane = lane(transfers, bytes * packets.requests);
  time.to_memory = bytes * packets.requests * flits_for(0) / flits_;
  time.from_memory = bytes * packets.flits / flits_;
  return time;
}

TransferTime DramPath::stored(double bytes, double transfers, DramRun run, double efficiency) const {
  const Packets packets = packets_of(run);
  TransferTime time = moved(bytes, efficiency);
  time.store_lane = lane(transfers, bytes * packets.requests);
  time.to_memory = bytes * packets.flits / flits_;
  time.from_memory = bytes * packets.requests * flits_for(0) / flits_;
  return time;
}

}  // namespace tilewright
