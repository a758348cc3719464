#include "planner/estimate/queue_model/queue_network.h"

#include <algorithm>

namespace tilewright {

QueueNetwork::QueueNetwork(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client)
    : spec_(spec), calendar_(calendar), client_(client) {
  entries_.resize(spec.terminals());
  exits_.resize(spec.terminals());
  links_.resize(spec.links.size());
  turns_.assign(spec.terminals(), 0);
  const RouterSpec& r = spec.router;
  const Cycles router = r.pipeline_cycles();
  const bool simple = spec.topology == Topology::kSimple;
  // Without routers a packet has arrived when its only cycle at the other end is over.
  entry_time_ = spec.clock.to_ps(simple ? spec.simple_latency_cycles - 1 : r.terminal_cycles + router);
  link_time_ = spec.clock.to_ps(r.link_cycles + router);
  exit_time_ = spec.clock.to_ps(simple ? 0 : r.terminal_cycles);
  if (!simple) routes_.emplace(spec);
}

Picoseconds QueueNetwork::pass(Port& port, Picoseconds from, int flits) const {
  const Picoseconds start = std::max(port.free, from);
  // Without routers packets count, not their length.
  port.free = start + spec_.clock.to_ps(routes_ ? flits : 1);
  return start;
}

// Behind a port is the input of a router, and each of its virtual channels holds one packet at a time. A packet that is
// there before the one in front has won the switch is routed and given a channel only when that one has left; a longer
// one comes later than that. Several channels take packets in turn.
Picoseconds QueueNetwork::pass(Port& port, Picoseconds from, const QueuePacket& packet, bool is_link,
                               bool crosses) const {
  if (!routes_) return pass(port, from, packet.flits);
  const int requests = spec_.router.virtual_channels / 2;
  int channels = packet.reply ? spec_.router.virtual_channels - requests : requests;
  if (is_link && routes_->uses_dateline()) channels = crosses ? channels / 2 : channels - channels / 2;
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
  if (routes_) choose_way(flight);
  forward(index);
}

void QueueNetwork::choose_way(Flight& flight) {
  const int source = flight.packet.source;
  flight.router = spec_.terminal_router[source];
  flight.choice = routes_->choose_next(source, flight.packet.destination, turns_[source]);
}

void QueueNetwork::cross_link(Flight& flight) {
  hops_ += flight.packet.flits;
  const int port = routes_->output(flight.router, flight.packet.destination, flight.choice.way);
  const int link = routes_->ports()[flight.router].out_links[port];
  const bool crosses = routes_->uses_dateline() && flight.choice.crosses_dateline(routes_->dimension_of(link));
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

// Without routers each copy is a packet; on rings it takes several ways.
Picoseconds QueueNetwork::send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) {
  Picoseconds start = kNever;
  std::vector<int> left(destinations.begin(), destinations.end());
  while (!left.empty()) {
    const auto choice_of = [&](int to) { return routes_ ? routes_->choose(packet.source, to, 0) : RouteChoice{}; };
    const RouteChoice choice = choice_of(left.front());
    const auto others =
        routes_ ? std::stable_partition(left.begin(), left.end(), [&](int to) { return choice_of(to) == choice; })
                : left.begin() + 1;
    start = std::min(start, enter(packet, {left.begin(), others}, choice, time));
    left.erase(left.begin(), others);
  }
  return start;
}

Picoseconds QueueNetwork::enter(const QueuePacket& packet, std::vector<int> destinations, const RouteChoice& choice,
                                Picoseconds time) {
  Flight flight{packet, choice};
  flight.packet.destination = destinations.front();
  const Picoseconds start = pass(entries_[packet.source], time, flight.packet, false, false);
  flight.time = start + entry_time_;
  if (routes_) flight.router = spec_.terminal_router[packet.source];
  hops_ += packet.flits;
  if (destinations.size() > 1) flight.destinations = destinations_.acquire(std::move(destinations));
  calendar_.add(flight.time, *this, flights_.acquire(flight));
  return start;
}

// At a router: a flight for each output.
void QueueNetwork::copy(std::uint32_t index) {
  const Flight original = flights_[index];
  std::vector<std::pair<int, int>> ways;  // output and destination
  for (const int destination : destinations_[original.destinations])
    ways.emplace_back(routes_->output(original.router, destination, original.choice.way), destination);
  destinations_.release(original.destinations);
  std::ranges::sort(ways);
  for (auto first = ways.begin(); first != ways.end();) {
    const auto last = std::find_if(first, ways.end(), [&](const auto& way) { return way.first != first->first; });
    std::vector<int> destinations;
    for (auto way = first; way != last; ++way) destinations.push_back(way->second);
    if (first != ways.begin()) {
      hops_ += original.packet.flits;
      index = flights_.acquire(original);
    }
    go_on(index, std::move(destinations));
    first = last;
  }
}

void QueueNetwork::go_on(std::uint32_t index, std::vector<int> destinations) {
  Flight& flight = flights_[index];
  flight.packet.destination = destinations.front();
  flight.destinations = kNone;
  if (is_at_exit(flight)) return leave(index);
  if (destinations.size() == 1) return forward(index);
  flight.destinations = destinations_.acquire(std::move(destinations));
  cross_link(flight);
  calendar_.add(flight.time, *this, index);
}

// Ports and links that both go over are taken already.
void QueueNetwork::send_copy(const QueuePacket& packet, int with, Picoseconds start) {
  Flight flight{packet};
  flight.time = start + entry_time_;
  hops_ += packet.flits;
  if (routes_) {
    choose_way(flight);
    const auto output = [&](int to) { return routes_->output(flight.router, to, flight.choice.way); };
    while (!is_at_exit(flight) && output(packet.destination) == output(with)) {
      flight.router = spec_.links[routes_->ports()[flight.router].out_links[output(with)]].to;
      flight.time += link_time_;
    }
  }
  calendar_.add(flight.time, *this, flights_.acquire(flight));
}

}  // namespace tilewright
