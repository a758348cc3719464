// The way from the cores of a chip to its DRAM, to the memory of other clusters and to the buffers of other cores, and
// back: finds who answers, crosses the network in both directions. Signals cross it in one. With network.multicast a
// read of bytes that the answering memory is about to send to another reader becomes one more destination of that
// answer. Sums of what lies in several memories go their own way (NetworkSums).
#pragma once

#include <string>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/chip_map.h"
#include "sim/machine/memory/joined_reads.h"
#include "sim/machine/memory/leaving_ports.h"
#include "sim/machine/memory/network_sums.h"
#include "sim/machine/memory/peer_memories.h"
#include "sim/machine/network/network_transport.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class MemoryFabric final : public MemoryPath, public SignalPath, public PacketReceiver, public MemoryClient {
 public:
  // Attaches itself to every terminal of `network` and to every channel.
  MemoryFabric(const Hardware& hardware, NetworkPort& network, std::vector<DramPort*> channels, EventMeter& meter);

  // Who answers for the buffers of the next core, and for the memory of the next cluster, null where it has none. Both
  // in order of their numbers.
  void attach_core(MemoryPath& buffers) { peers_.cores.push_back(&buffers); }
  void attach_cluster(MemoryPath* memory) { peers_.clusters.push_back(memory); }
  void deliver_signals_to(SignalReceiver& receiver) { signals_ = &receiver; }

  void reset();
  // The request leaves by a port of its core's cluster; the cores of a cluster share the port's injection queue in
  // order of arrival.
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;
  // One flit without an answer.
  void send_signal(int from, int to, int flag, std::uint16_t op, Picoseconds now) override;

  void packet_arrived(const Packet& packet, Picoseconds now) override;
  void memory_done(const MemoryRequest& request, Picoseconds now) override;

  std::string waiting_for() const;
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;
  // Bytes that operator `op` moved between a cluster and the memory next to it, and any other memory. On a chip with
  // one memory for all, everything is local.
  MemoryTraffic traffic_of(std::size_t op) const;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct InFlight {
    MemoryRequest request;
    MemoryClient* client = nullptr;
    int terminal = 0;     // of the asking cluster
    int destination = 0;  // terminal of who answers
    Picoseconds sent = 0;
    DramPort* channel = nullptr;   // of DRAM
    MemoryPath* memory = nullptr;  // of anything else
    std::uint32_t shared = kNone;  // its place in reads of who answers, if others may join it
    bool joined = false;           // another read's answer is copied for it
  };
  // A read that others join.
  struct SharedRead {
    std::vector<std::uint32_t> waiting;  // places in in_flight, not answered yet
    Packet answer;                       // since it has been sent
    MemoryDelay delay{};
    int copies = 0;  // of the answer, that have not arrived; 0: not sent yet
  };
  struct SignalFlight {
    int core = 0, flag = 0;
    Picoseconds sent = 0;
  };
  // Requests of one kind that have been answered.
  struct Answered {
    std::int64_t reads = 0, writes = 0;
    Bytes read_bytes = 0, write_bytes = 0;
    Picoseconds read_latency = 0, write_latency = 0;  // summed
    void add(const MemoryRequest& request, Picoseconds took);
  };
  struct State {
    SlotTable<InFlight> in_flight;
    SlotTable<SignalFlight> signals;
    LeavingPorts leaving_ports;
    std::int64_t signals_sent = 0;
    Picoseconds signal_latency = 0;  // summed
    Answered dram, peers, copied;
    // By who answers: channels, then clusters, then cores. Of a network that copies.
    std::vector<JoinedReads<SharedRead>> reads;
    std::vector<MemoryTraffic> traffic;  // by operator, as far as one moved something
  };

  InFlight to_channel(const MemoryRequest& request) const;
  InFlight to_peer(const MemoryRequest& request) const;
  std::size_t answerer_of(const InFlight& flight) const;
  bool join(std::uint32_t place, Picoseconds now);
  bool extend(SharedRead& read, int terminal, Picoseconds now);
  void forward(std::uint32_t place, Picoseconds now);
  void send_copies(SharedRead& read, Picoseconds now);
  void copy_arrived(const Packet& packet, Picoseconds now);
  void answer(std::uint32_t place, Picoseconds now);
  void count(const InFlight& done, Picoseconds now);
  double average_cycles(Picoseconds sum, std::int64_t count) const;
  void add_peer_statistics(const std::string& prefix, Statistics& statistics) const;
  void count_traffic(const MemoryRequest& request);

  const Hardware& hardware_;
  NetworkPort& network_;
  const std::vector<DramPort*> channels_;
  const ChipMap map_;
  PeerMemories peers_;
  NetworkSums sums_;
  SignalReceiver* signals_ = nullptr;
  State state_;
};

}  // namespace tilewright
