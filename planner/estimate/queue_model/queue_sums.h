// Reads of several memories that the network adds up, in the queue model: packets as in the simulated fabric
// (sim/machine/memory/network_sums.h). Whoever holds a part answers as if
// it had nothing else to do.
#pragma once

#include <optional>

#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/event.h"
#include "sim/machine/memory/sum_reads.h"

namespace tilewright {

class QueueSums {
 public:
  // Both outlive it.
  QueueSums(const Hardware& hardware, QueueTransport& network)
      : hardware_(hardware), network_(network), reads_(hardware) {}

  // Asks for the parts of `request` by way of the reader's `terminal`.
  void begin(const MemoryRequest& request, int terminal, std::uint32_t place, Picoseconds now);
  static bool owns(const QueuePacket& packet) { return (packet.what & kSum) != 0; }
  // One of its packets. The place of the read whose sum has arrived with it, if it has.
  std::optional<std::uint32_t> packet_arrived(const QueuePacket& packet, Picoseconds now);
  // Elements added.
  std::int64_t added() const { return added_; }

 private:
  static constexpr std::uint32_t kSum = 1u << 29;

  Picoseconds answer_time(Space space, int owner, Bytes bytes) const;
  void send_on(std::uint32_t number, int from, int to, Picoseconds now);

  const Hardware& hardware_;
  QueueTransport& network_;
  SumReads reads_;
  std::int64_t added_ = 0;
};

}  // namespace tilewright
