// The way from the cores of a chip to its DRAM and back: picks the channel, crosses the network in both directions.
#pragma once

#include <string>
#include <vector>

#include "sim/base/traffic.h"
#include "sim/hw/hardware.h"
#include "sim/model/dram/dram_channel.h"
#include "sim/model/network/network_module.h"

namespace tilewright {

class MemoryFabric : public PacketReceiver, public MemoryClient {
 public:
  // Attaches itself to every terminal of `network` and to every channel.
  MemoryFabric(const Hardware& hardware, NetworkModule& network, std::vector<DramPort*> channels);

  void reset();
  // `client` is answered once, with the request as given. The request leaves by a port of its core's cluster; the cores
  // of a cluster share the port's injection queue in order of arrival.
  void send(const MemoryRequest& request, MemoryClient& client);

  void packet_arrived(const Packet& packet) override;
  void memory_done(const MemoryRequest& request) override;

  std::string waiting_for() const;
  void add_statistics(Picoseconds total, Statistics& statistics) const;
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
    Slab<InFlight> in_flight;
    std::int64_t reads = 0, writes = 0;
    Bytes read_bytes = 0, write_bytes = 0;
    Picoseconds read_latency = 0;        // summed
    std::vector<MemoryTraffic> traffic;  // by operator, as far as one moved something
  };

  void count(const InFlight& done);
  void count_traffic(const MemoryRequest& request);

  const Hardware& hardware_;
  NetworkModule& network_;
  const std::vector<DramPort*> channels_;
  State state_;
};

}  // namespace tilewright
