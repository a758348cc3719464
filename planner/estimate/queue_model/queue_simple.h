// The network without routers in the queue model: that of the simulated chip (sim/machine/network/network_simple.h),
// whose cycles are events of the calendar.
#pragma once

#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/containers.h"
#include "sim/machine/network/network_simple.h"

namespace tilewright {

class QueueSimple final : public QueueTransport, public QueueActor {
 public:
  QueueSimple(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client);

  void send(const QueuePacket& packet, Picoseconds time) override;
  // Each copy is a packet.
  Picoseconds send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) override;
  void send_copy(const QueuePacket& packet, int, Picoseconds start) override { send(packet, start); }
  std::int64_t hops() const override { return hops_; }

  void happen(std::uint32_t what, Picoseconds now) override;

 private:
  static constexpr std::uint32_t kCycle = ~0u;  // of the network; else a packet goes in

  void inject(std::uint32_t index, Cycles cycle);
  void deliver(Cycles cycle);
  void wait();

  const Clock clock_;
  Calendar& calendar_;
  QueuePacketClient& client_;
  NetworkSimple network_;
  SlotTable<QueuePacket> packets_;
  std::vector<Delivery> arrived_;
  Cycles due_ = kNeverCycle;  // the cycle that stands in the calendar
  std::int64_t hops_ = 0;
};

}  // namespace tilewright
