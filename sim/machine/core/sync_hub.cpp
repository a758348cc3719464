#include "sim/machine/core/sync_hub.h"

#include <fmt/format.h>

namespace tilewright {

SyncHub::SyncHub(const Hardware& hardware, Waker& waker)
    : delay_(hardware.core_clock.to_ps(hardware.core.control.signal_cycles)), waker_(waker) {}

void SyncHub::reset() { state_ = State{}; }

void SyncHub::send_signal(int from, const Signal& signal, std::uint16_t op, Picoseconds now) {
  ++state_.signals;
  if (path_ && from != signal.core) return path_->send_signal(from, signal.core, signal.flag, op, now);
  push(signal.core, signal.flag, Unit::kLoad, now);
}

void SyncHub::push(int core, int flag, Unit unit, Picoseconds now) {
  state_.deliveries.push_back({now + delay_, core, flag, unit});
  waker_.wake_at(state_.deliveries.front().time);
}

SyncHub::Gathering& SyncHub::gathering_of(const Barrier& barrier) {
  for (Gathering& gathering : state_.gatherings) {
    if (gathering.barrier.id == barrier.id) return gathering;
  }
  state_.gatherings.push_back({barrier, {}});
  return state_.gatherings.back();
}

void SyncHub::reach_barrier(int core, Unit unit, const Barrier& barrier, Picoseconds now) {
  Gathering& gathering = gathering_of(barrier);
  gathering.arrived.push_back({core, unit});
  if (static_cast<int>(gathering.arrived.size()) >= barrier.participants) open(gathering, now);
}

void SyncHub::open(Gathering& gathering, Picoseconds now) {
  ++state_.barriers;
  for (BarrierListener* listener : listeners_) listener->barrier_opened();
  for (const Arrival& arrival : gathering.arrived) push(arrival.core, -1, arrival.unit, now);
  gathering.arrived.clear();
}

Picoseconds SyncHub::evaluate(Picoseconds now) {
  while (!state_.deliveries.empty() && state_.deliveries.front().time <= now) {
    const Delivery delivery = state_.deliveries.front();
    state_.deliveries.pop_front();
    deliver(delivery, now);
  }
  return state_.deliveries.empty() ? kNever : state_.deliveries.front().time;
}

void SyncHub::deliver(const Delivery& delivery, Picoseconds now) {
  if (delivery.flag >= 0) {
    cores_[delivery.core]->signal_arrived(delivery.flag);
  } else {
    cores_[delivery.core]->barrier_released(delivery.unit, now);
  }
}

std::string SyncHub::waiting_for() const {
  std::string reasons;
  for (const Gathering& gathering : state_.gatherings) {
    if (gathering.arrived.empty()) continue;
    reasons += fmt::format("{}barrier {} reached by {} of {} cores", reasons.empty() ? "" : "; ", gathering.barrier.id,
                           gathering.arrived.size(), gathering.barrier.participants);
  }
  return reasons;
}

void SyncHub::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".signals", "signals", "signals sent between cores", static_cast<double>(state_.signals));
  statistics.add(prefix + ".barriers", "barriers", "barriers opened", static_cast<double>(state_.barriers));
}

void SyncHub::add_probes(Probes& probes) const {
  probes.push_back({"under_way", 16, [this] { return static_cast<std::uint64_t>(state_.deliveries.size()); }});
}

}  // namespace tilewright
