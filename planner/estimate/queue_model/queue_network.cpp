#include "planner/estimate/queue_model/queue_network.h"

#include <algorithm>

namespace tilewright {

QueueNetwork::QueueNetwork(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client)
    : spec_(spec), calendar_(calendar), client_(client), routes_(spec) {
  entries_.resize(spec.terminals());
  exits_.resize(spec.terminals());
  links_.resize(spec.links.size());
  turns_.assign(spec.terminals(), 0);
  const RouterSpec& r = spec.router;
  const Cycles router = r.pipeline_cycles();
  entry_time_ = spec.clock.to_ps(r.terminal_cycles + router);
  link_time_ = spec.clock.to_ps(r.link_cycles + router);
  exit_time_ = spec.clock.to_ps(r.terminal_cycles);
}

Picoseconds QueueNetwork::pass(Port& port, Picoseconds from, int flits) const {
  const Picoseconds start = std::max(port.free, from);
  port.free = start + spec_.clock.to_ps(flits);
  return start;
}

// Behind a port is the input of a router, and each of its virtual channels holds one packet at a time. A packet that is
// there before the one in front has won the switch is routed and given a channel only when that one has left; a longer
// one comes later than that. Several channels take packets in turn.
Picoseconds QueueNetwork::pass(Port& port, Picoseconds from, const QueuePacket& packet, bool is_link,
                               bool crosses) const {
  const int requests = spec_.router.virtual_channels / 2;
  int channels = packet.reply ? spec_.router.virtual_channels - requests : requests;
  if (is_link && routes_.uses_dateline()) channels = crosses ? channels / 2 : channels - channels / 2;
  Picoseconds& lane_free = port.lane_free[2 * static_cast<int>(packet.reply) + static_cast<int>(crosses)];
  const Picoseconds start = pass(port, std::max(lane_free, from), packet.flits);
  const Cycles switched = spec_.router.routing_cycles + spec_.router.vc_allocation_cycles;
  const Cycles held = packet.flits + (packet.flits <= switched ? switched : 0);
  lane_free = start + spec_.clock.to_ps(held) / std::max(channels, 1);
  return start;
}

void QueueNetwork::send(const QueuePacket& packet, Picoseconds time) {
  hops_ += packet.flits;  // the last router; the others where it leaves them
  const std::uint32_t index = flights_.acquire({packet});
  Flight& flight = flights_[index];
  flight.time = pass(entries_[packet.source], time, packet, false, false) + entry_time_;
  choose_way(flight);
  forward(index);
}

void QueueNetwork::choose_way(Flight& flight) {
  const int source = flight.packet.source;
  flight.router = spec_.terminal_router[source];
  flight.choice = routes_.choose_next(source, flight.packet.destination, turns_[source]);
}

void QueueNetwork::cross_link(Flight& flight) {
  hops_ += flight.packet.flits;
  const int port = routes_.output(flight.router, flight.packet.destination, flight.choice.way);
  const int link = routes_.ports()[flight.router].out_links[port];
  const bool crosses = routes_.uses_dateline() && flight.choice.crosses_dateline(routes_.dimension_of(link));
  flight.time = pass(links_[link], flight.time, flight.packet, true, crosses) + link_time_;
  flight.router = spec_.links[link].to;
}

// A link is taken when the packet is there, or packets that come from far would hold up those that come from near. Two
// cases need no event of their own: the first link, to which all packets of a port take equally long, and the port of a
// channel, which is told ahead unless the order of reads says which of them share an answer.
void QueueNetwork::forward(std::uint32_t index) {
  Flight& flight = flights_[index];
  if (!is_at_exit(flight)) cross_link(flight);
  const bool at_channel = is_at_exit(flight) && flight.packet.destination >= spec_.channel_terminal(0);
  if (at_channel && spec_.multicast == 0) return leave(index);
  calendar_.add(flight.time, *this, index);
}

void QueueNetwork::happen(std::uint32_t index, Picoseconds) {
  if (flights_[index].destinations != kNone) return copy(index);
  is_at_exit(flights_[index]) ? leave(index) : forward(index);
}

void QueueNetwork::leave(std::uint32_t index) {
  const Flight flight = flights_[index];
  flights_.release(index);
  Port& exit = exits_[flight.packet.destination];
  pass(exit, flight.time + exit_time_, flight.packet.flits);
  client_.packet_arrived(flight.packet, exit.free);
}

// On rings it takes several ways.
Picoseconds QueueNetwork::send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) {
  Picoseconds start = kNever;
  for (const auto& [choice, reached] : routes_.ways_to(packet.source, destinations))
    start = std::min(start, enter(packet, reached, choice, time));
  return start;
}

Picoseconds QueueNetwork::enter(const QueuePacket& packet, const std::vector<int>& destinations,
                                const RouteChoice& choice, Picoseconds time) {
  Flight flight{packet, choice};
  set_destinations(flight, destinations);
  const Picoseconds start = pass(entries_[packet.source], time, flight.packet, false, false);
  flight.time = start + entry_time_;
  flight.router = spec_.terminal_router[packet.source];
  hops_ += packet.flits;
  calendar_.add(flight.time, *this, flights_.acquire(flight));
  return start;
}

void QueueNetwork::set_destinations(Flight& flight, const std::vector<int>& destinations) {
  flight.packet.destination = destinations.front();
  flight.destinations = destinations.size() == 1 ? kNone : destinations_.acquire(destinations);
}

// At a router: a flight for each output.
void QueueNetwork::copy(std::uint32_t index) {
  const Flight original = flights_[index];
  const auto outputs = routes_.outputs_to(original.router, destinations_[original.destinations], original.choice.way);
  destinations_.release(original.destinations);
  flights_.release(index);
  hops_ += original.packet.flits * (std::ssize(outputs) - 1);
  for (const auto& [output, reached] : outputs) {
    Flight copy = original;
    set_destinations(copy, reached);
    go_on(flights_.acquire(copy));
  }
}

void QueueNetwork::go_on(std::uint32_t index) {
  Flight& flight = flights_[index];
  if (is_at_exit(flight)) return leave(index);
  if (flight.destinations == kNone) return forward(index);
  cross_link(flight);
  calendar_.add(flight.time, *this, index);
}

// Ports and links that both go over are taken already.
void QueueNetwork::send_copy(const QueuePacket& packet, int with, Picoseconds start) {
  Flight flight{packet};
  flight.time = start + entry_time_;
  hops_ += packet.flits;
  choose_way(flight);
  const auto output = [&](int to) { return routes_.output(flight.router, to, flight.choice.way); };
  while (!is_at_exit(flight) && output(packet.destination) == output(with)) {
    flight.router = spec_.links[routes_.ports()[flight.router].out_links[output(with)]].to;
    flight.time += link_time_;
  }
  calendar_.add(flight.time, *this, flights_.acquire(flight));
}

}  // namespace tilewright
