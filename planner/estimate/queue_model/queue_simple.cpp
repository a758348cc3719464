#include "planner/estimate/queue_model/queue_simple.h"

namespace tilewright {

QueueSimple::QueueSimple(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client)
    : clock_(spec.clock), calendar_(calendar), client_(client), network_(spec) {}

void QueueSimple::send(const QueuePacket& packet, Picoseconds time) {
  hops_ += packet.flits;
  calendar_.add(clock_.to_ps(clock_.ceil(time)), *this, packets_.acquire(packet));
}

Picoseconds QueueSimple::send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) {
  for (const int destination : destinations) {
    QueuePacket copy = packet;
    copy.destination = destination;
    send(copy, time);
  }
  return time;
}

void QueueSimple::happen(std::uint32_t what, Picoseconds now) {
  const Cycles cycle = clock_.floor(now);
  if (what != kCycle) {
    inject(what, cycle);
  } else if (due_ <= cycle) {  // else an earlier entry has done it
    due_ = kNeverCycle;
    deliver(cycle);
  }
  wait();
}

void QueueSimple::inject(std::uint32_t index, Cycles cycle) {
  deliver(cycle - 1);
  const QueuePacket& packet = packets_[index];
  network_.inject({packet.source, packet.destination, packet.flits, packet.reply, 0, index}, cycle);
}

// Who takes a packet may send others: they are events of their own.
void QueueSimple::deliver(Cycles cycle) {
  network_.advance(cycle);
  arrived_.swap(network_.delivered());
  for (const Delivery& delivery : arrived_) {
    const auto index = static_cast<std::uint32_t>(delivery.packet.cookie);
    const QueuePacket packet = packets_[index];
    packets_.release(index);
    client_.packet_arrived(packet, clock_.to_ps(delivery.arrived));
  }
  arrived_.clear();
}

void QueueSimple::wait() {
  const Cycles next = network_.next_event();
  if (next >= due_) return;
  due_ = next;
  calendar_.add(clock_.to_ps(next), *this, kCycle);
}

}  // namespace tilewright
