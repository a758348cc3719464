// The way from the cores of a chip to its DRAM and back: picks the channel, crosses the network in both directions.
#pragma once

#include <string>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/machine/network/network_transport.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class MemoryFabric final : public MemoryPath, public PacketReceiver, public MemoryClient {
 public:
  // Attaches itself to every terminal of `network` and to every channel.
  MemoryFabric(const Hardware& hardware, NetworkPort& network, std::vector<DramPort*> channels);

  void reset();
  // The request leaves by a port of its core's cluster; the cores of a cluster share the port's injection queue in
  // order of arrival.
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;

  void packet_arrived(const Packet& packet, Picoseconds now) override;
  void memory_done(const MemoryRequest& request, Picoseconds now) override;

  std::string waiting_for() const;
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;
  // Bytes that operator `op` moved between a cluster and the memory next to it, and any other memory. On a chip with
  // one memory for all, everything is local.
  MemoryTraffic traffic_of(std::size_t op) const;

 private:
  struct InFlight {
    MemoryRequest request;
    MemoryClient* client = nullptr;
    int channel = 0;
    int terminal = 0;  // of the cluster
    Picoseconds sent = 0;
  };
  struct State {
    SlotTable<InFlight> in_flight;
    std::int64_t reads = 0, writes = 0;
    Bytes read_bytes = 0, write_bytes = 0;
    Picoseconds read_latency = 0;        // summed
    std::vector<MemoryTraffic> traffic;  // by operator, as far as one moved something
  };

  void count(const InFlight& done, Picoseconds now);
  void count_traffic(const MemoryRequest& request);

  const Hardware& hardware_;
  NetworkPort& network_;
  const std::vector<DramPort*> channels_;
  State state_;
};

}  // namespace tilewright
