#include "sim/machine/network/network_simple.h"

#include <algorithm>

namespace tilewright {

NetworkSimple::NetworkSimple(const NetworkSpec& spec) : spec_(spec), initial_(make_state()), state_(initial_) {
  if (spec.simple_latency_cycles < 1)
    throw UserError("network.simple_latency_cycles",
                    fmt::format("got {}, expected at least 1", spec.simple_latency_cycles));
}

NetworkSimple::State NetworkSimple::make_state() const {
  State state;
  state.marks = CycleMarks(spec_.simple_latency_cycles + 2);
  state.takes = CycleSets(state.marks.size(), spec_.terminals());
  state.arrivals = CycleWheel<std::uint32_t>(state.marks.size());
  Destination destination;
  destination.from.resize(spec_.terminals());
  state.destinations.assign(spec_.terminals(), destination);
  return state;
}

// A destination chooses among the packets of a cycle in the next cycle, when all of them are known.
void NetworkSimple::inject(const Packet& packet, Cycles cycle) {
  SIM_CHECK(cycle >= state_.now && next_event() >= cycle, "injection at cycle {}, already at {}", cycle, state_.now);
  std::uint32_t index = state_.free_entry;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(state_.entries.size());
    state_.entries.emplace_back();
  } else {
    state_.free_entry = state_.entries[index].next;
  }
  state_.entries[index] = {packet, cycle, kNone};
  Destination& destination = state_.destinations[packet.destination];
  Queue& queue = destination.from[packet.source];
  (queue.first == kNone ? queue.first : state_.entries[queue.last].next) = index;
  queue.last = index;
  ++destination.waiting;
  ++state_.under_way;
  state_.now = std::max(state_.now, cycle - 1);
  state_.takes.insert(at(cycle + 1), packet.destination);
}

// Queues between all terminals are no shared wire: a copy is a packet.
int NetworkSimple::inject_to_all(const Packet& packet, std::span<const int> destinations, Cycles cycle) {
  for (const int destination : destinations) {
    Packet copy = packet;
    copy.destination = destination;
    inject(copy, cycle);
  }
  return static_cast<int>(destinations.size());
}

void NetworkSimple::advance(Cycles cycle) {
  for (Cycles next = next_event(); next <= cycle && next != kNeverCycle; next = next_event()) {
    state_.now = next;
    step();
  }
  state_.now = std::max(state_.now, cycle);
}

void NetworkSimple::step() {
  const unsigned slot = state_.marks.slot(state_.now);
  state_.marks.clear(state_.now);
  state_.takes.drain(slot, [this](int destination) { take(destination); });
  for (const std::uint32_t index : state_.arrivals.at(slot)) {
    Entry& entry = state_.entries[index];
    delivered_.push_back({entry.packet, entry.injected, state_.now});
    entry.next = state_.free_entry;
    state_.free_entry = index;
    --state_.under_way;
  }
  state_.arrivals.at(slot).clear();
}

void NetworkSimple::take(int index) {
  Destination& destination = state_.destinations[index];
  if (destination.waiting == 0) return;
  const int sources = spec_.terminals();
  int source = destination.turn;
  while (destination.from[source].first == kNone) source = (source + 1) % sources;
  Queue& queue = destination.from[source];
  const std::uint32_t taken = queue.first;
  queue.first = state_.entries[taken].next;
  destination.turn = (source + 1) % sources;
  --destination.waiting;
  state_.arrivals.push(at(state_.now - 1 + spec_.simple_latency_cycles), taken);
  if (destination.waiting > 0) state_.takes.insert(at(state_.now + 1), index);
}

std::string NetworkSimple::waiting_for() const {
  return state_.under_way == 0 ? std::string{} : fmt::format("{} packets under way", state_.under_way);
}

}  // namespace tilewright
