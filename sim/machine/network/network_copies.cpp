// Packets for several terminals: the routers copy them where their ways part (CopyPoint). The copies of input `i` of a
// router with n inputs are read from its buffer by the inputs i, i + n, i + 2 n ... of its Router.
#include <algorithm>

#include "sim/base/distinct.h"
#include "sim/machine/network/network_core.h"

namespace tilewright {

// On rings and tori destinations are reached by several ways: a packet goes each of them.
int NetworkCore::inject_to_all(const Packet& packet, std::span<const int> destinations, Cycles cycle) {
  SIM_CHECK(copies() && destinations.size() > 1 && packet.flits <= spec_.router.buffer_flits,
            "a packet of {} flits to {} terminals", packet.flits, destinations.size());
  int outputs = 0;
  for (const auto& [choice, reached] : routes_.ways_to(packet.source, destinations)) {
    outputs += outputs_on_the_ways(packet.source, reached, choice.way);
    set_destinations(state_.flights[enqueue(packet, choice, cycle)], reached);
  }
  wake_source(packet.source, cycle);
  return outputs;
}

void NetworkCore::set_destinations(Flight& flight, const std::vector<int>& destinations) {
  flight.packet.destination = destinations.front();
  flight.destinations = destinations.size() == 1 ? kNone : state_.destinations.acquire(destinations);
}

// A destination that another way leads to has a packet of its own.
std::optional<int> NetworkCore::add_destination(int destination, const Packet& waiting, Cycles cycle) {
  const Source& source = state_.sources[waiting.source];
  if (waiting.flits > spec_.router.buffer_flits) return std::nullopt;
  const RouteChoice choice = routes_.choose(waiting.source, destination, 0);
  std::uint32_t any = kNone, same_way = kNone;
  for (std::uint32_t index = source.queues[waiting.reply ? 1 : 0].first; index != kNone;
       index = state_.flights[index].next) {
    const Flight& flight = state_.flights[index];
    if (flight.packet.cookie != waiting.cookie) continue;
    if (goes_to(flight, destination)) return 0;
    any = index;
    if (flight.choice == choice) same_way = index;
  }
  if (any == kNone) return std::nullopt;
  if (same_way != kNone) return lead_also_to(destination, state_.flights[same_way]);
  set_destinations(state_.flights[enqueue(waiting, choice, cycle)], {destination});
  wake_source(waiting.source, cycle);
  return routers_passed(waiting.source, destination);
}

bool NetworkCore::goes_to(const Flight& flight, int destination) const {
  if (flight.destinations == kNone) return flight.packet.destination == destination;
  return std::ranges::binary_search(state_.destinations[flight.destinations], destination);
}

int NetworkCore::lead_also_to(int destination, Flight& flight) {
  const int source = flight.packet.source, way = flight.choice.way;
  if (flight.destinations == kNone) flight.destinations = state_.destinations.acquire({flight.packet.destination});
  std::vector<int>& all = state_.destinations[flight.destinations];
  const int before = outputs_on_the_ways(source, all, way);
  all.insert(std::ranges::lower_bound(all, destination), destination);
  flight.packet.destination = all.front();
  return outputs_on_the_ways(source, all, way) - before;
}

int NetworkCore::outputs_on_the_ways(int source, std::span<const int> destinations, int way) const {
  std::vector<std::pair<int, int>> left_by;  // router and its output
  for (const int destination : destinations)
    for (int router = entry_[source].index;;) {
      const int output = routes_.output(router, destination, way);
      left_by.emplace_back(router, output);
      const Peer& next = downstream_[router][output];
      if (next.terminal) break;
      router = next.index;
    }
  keep_distinct(left_by);
  return static_cast<int>(left_by.size());
}

bool NetworkCore::parts_at(int router, std::uint32_t index) const {
  const Flight& flight = state_.flights[index];
  if (flight.destinations == kNone) return false;
  const auto output = [&](int destination) { return routes_.output(router, destination, flight.choice.way); };
  const int first = output(flight.packet.destination);
  return std::ranges::any_of(state_.destinations[flight.destinations], [&](int to) { return output(to) != first; });
}

// Behind the front packet's own groups, and behind all others where it needs the whole buffer for its copies.
bool NetworkCore::may_enter(const CopyPoint& point, int router, const FlitGroup& group) const {
  if (point.copying()) return point.packet == group.packet;
  return point.inside == 0 || !group.head || !parts_at(router, group.packet);
}

// True when the router may have to send on what has come.
bool NetworkCore::arrive(const Arrival& arrival, Cycles routed) {
  CopyPoint& point = state_.copy_points[arrival.router][channel_of(arrival.input, arrival.vc)];
  if (point.behind.empty() && may_enter(point, arrival.router, arrival.group)) return enter(point, arrival, routed);
  point.behind.push_back(arrival.group);
  return false;
}

bool NetworkCore::enter(CopyPoint& point, const Arrival& arrival, Cycles routed) {
  const FlitGroup group = arrival.group;
  if (group.head && parts_at(arrival.router, group.packet)) begin_copies(point, arrival.router, group.packet);
  if (!point.copying()) {
    ++point.inside;
    return buffer(arrival, routed);
  }
  bool sends = false;
  Arrival copy = arrival;
  for (const std::uint32_t flight : point.copies) {
    copy.group.packet = flight;
    sends = buffer(copy, routed) || sends;
    copy.input = static_cast<std::uint16_t>(copy.input + upstream_[arrival.router].size());
  }
  return sends;
}

// A flight for each output.
void NetworkCore::begin_copies(CopyPoint& point, int router, std::uint32_t original) {
  const Flight flight = state_.flights[original];
  point.packet = original;
  for (const auto& [output, reached] :
       routes_.outputs_to(router, state_.destinations[flight.destinations], flight.choice.way)) {
    const std::uint32_t copy = take_flight();
    state_.flights[copy] = flight;
    set_destinations(state_.flights[copy], reached);
    point.copies.push_back(copy);
    ++state_.under_way;
  }
  point.left.assign(point.copies.size(), 0);
  state_.destinations.release(flight.destinations);
  state_.flights[original].destinations = kCopied;
}

// A group has left the buffer for the switch, or one of its copies.
void NetworkCore::left_buffer(int index, const Router::Move& move) {
  const int input = move.input % static_cast<int>(upstream_[index].size());
  CopyPoint& point = state_.copy_points[index][channel_of(input, move.input_vc)];
  if (point.copying()) {
    if (!copy_left(point, index, move)) return;
    end_copies(point, move.group.flits);
  } else {
    give_back(index, input, move.input_vc, move.group.flits);
    --point.inside;
  }
  release(point, index, input, move);
}

// True when that was the last group of the last copy.
bool NetworkCore::copy_left(CopyPoint& point, int index, const Router::Move& move) {
  const int inputs = static_cast<int>(upstream_[index].size());
  const int freed = *std::ranges::min_element(point.left);  // groups that have left with all copies
  const int left = ++point.left[static_cast<std::size_t>(move.input / inputs)];
  if (move.group.tail) {  // what came between its flits on the way here has been told of the original
    Flight& copy = state_.flights[move.group.packet];
    copy.delay = std::max(copy.delay, state_.flights[point.packet].delay);
  }
  if (*std::ranges::min_element(point.left) == freed) return false;
  give_back(index, move.input % inputs, move.input_vc, move.group.flits);
  return move.group.tail && left == freed + 1;
}

// The router before may still speak of the original while its last group crosses there.
void NetworkCore::end_copies(CopyPoint& point, int last_flits) {
  state_.ends.push(at(state_.now + last_flits), point.packet);
  point.packet = CopyPoint::kNone;
  point.copies.clear();
}

// What waited behind a packet enters, up to the next that has to wait. Heads are in front of what enters, and need
// their routes before the router has anything to do.
void NetworkCore::release(CopyPoint& point, int index, int input, const Router::Move& move) {
  Arrival next{static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(input), move.input_vc, {}};
  while (!point.behind.empty() && may_enter(point, index, point.behind.front())) {
    next.group = point.behind.front();
    point.behind.pop_front();
    enter(point, next, state_.now + move.group.flits + delays_.route);
  }
}

}  // namespace tilewright
