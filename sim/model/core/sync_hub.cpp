#include "sim/model/core/sync_hub.h"

#include <fmt/format.h>

namespace tilewright {

SyncHub::SyncHub(sc_core::sc_module_name name, const Hardware& hardware, RunContext& context)
    : TimedModule(name, context), delay_(hardware.core_clock.to_ps(hardware.core.control.signal_cycles)) {}

void SyncHub::reset() {
  cancel_wake();
  state_ = State{};
}

void SyncHub::send_signal(const Signal& signal) {
  ++state_.signals;
  push(signal.core, signal.flag, Unit::kLoad);
}

void SyncHub::push(int core, int flag, Unit unit) {
  state_.deliveries.push_back({kernel_now() + delay_, core, flag, unit});
  wake_at(state_.deliveries.front().time);
}

SyncHub::Gathering& SyncHub::gathering_of(const Barrier& barrier) {
  for (Gathering& gathering : state_.gatherings) {
    if (gathering.barrier.id == barrier.id) return gathering;
  }
  state_.gatherings.push_back({barrier, {}});
  return state_.gatherings.back();
}

void SyncHub::reach_barrier(int core, Unit unit, const Barrier& barrier) {
  Gathering& gathering = gathering_of(barrier);
  gathering.arrived.push_back({core, unit});
  if (static_cast<int>(gathering.arrived.size()) >= barrier.participants) open(gathering);
}

void SyncHub::open(Gathering& gathering) {
  ++state_.barriers;
  for (BarrierListener* listener : listeners_) listener->barrier_opened();
  for (const Arrival& arrival : gathering.arrived) push(arrival.core, -1, arrival.unit);
  gathering.arrived.clear();
}

void SyncHub::evaluate() {
  const Picoseconds now = kernel_now();
  while (!state_.deliveries.empty() && state_.deliveries.front().time <= now) {
    const Delivery delivery = state_.deliveries.front();
    state_.deliveries.pop_front();
    deliver(delivery);
  }
  if (!state_.deliveries.empty()) wake_at(state_.deliveries.front().time);
}

void SyncHub::deliver(const Delivery& delivery) {
  if (delivery.flag >= 0) {
    cores_[delivery.core]->signal_arrived(delivery.flag);
  } else {
    cores_[delivery.core]->barrier_released(delivery.unit);
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

void SyncHub::add_statistics(Statistics& statistics) const {
  statistics.add("sync.signals", "signals", "signals sent between cores", static_cast<double>(state_.signals));
  statistics.add("sync.barriers", "barriers", "barriers opened", static_cast<double>(state_.barriers));
}

}  // namespace tilewright
