// Reads of several memories at once of which the reader gets the sum: the parts meet in the routers, which
// add what comes from several sides and send one packet on. The request is copied on its way to whoever holds a part.
// Klenk et al., "An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives", ISCA 2020; GPUs
// have it as a load of a multicast address that reduces.
//
// Each router has an adder with an input for whatever comes in by a link or from a terminal, and room for
// NetworkSpec::reduction sums of every core. As a core has no more of them under way (DmaEngine), an adder takes
// whatever comes, and nothing in the network waits for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/machine/memory/peer_memories.h"
#include "sim/machine/memory/sum_reads.h"
#include "sim/machine/network/network_transport.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class NetworkSums final : public MemoryClient {
 public:
  // All outlive it.
  NetworkSums(const Hardware& hardware, NetworkPort& network, const PeerMemories& peers, EventMeter& meter);

  void reset() { reads_.reset(), state_ = State{}; }
  // Asks for the parts of `request` (MemoryRequest::sums()) by way of the reader's `terminal`; packet_arrived() gives
  // `place` back with the sum.
  void begin(const MemoryRequest& request, int terminal, std::uint32_t place, Picoseconds now);
  static bool owns(const Packet& packet);
  // One of its packets. The place of the read whose sum has arrived with it, if it has.
  std::optional<std::uint32_t> packet_arrived(const Packet& packet, Picoseconds now);
  // A memory has answered with its part.
  void memory_done(const MemoryRequest& request, Picoseconds now) override;

  // Nothing while no program has used them.
  void add_statistics(const std::string& prefix, Statistics& statistics) const;

 private:
  struct Part {
    std::uint32_t sum = 0;
    int terminal = 0;  // of who answers
  };
  struct State {
    SlotTable<Part> parts;
    std::int64_t begun = 0, parts_read = 0, added = 0;
    Bytes bytes = 0;
  };
  void ask(std::uint32_t number, int terminal, Picoseconds now);
  void add(std::uint32_t number, int router, Picoseconds now);
  void send_on(std::uint32_t number, int from, int to, Picoseconds now);

  const Hardware& hardware_;
  NetworkPort& network_;
  const PeerMemories& peers_;
  EventMeter& meter_;
  SumReads reads_;
  State state_;
};

}  // namespace tilewright
