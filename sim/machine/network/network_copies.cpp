// Packets for several terminals: the routers copy them where their ways part (CopyPoint). The copies of input `i` of a
// router with n inputs are read from its buffer by the inputs i, i + n, i + 2 n ... of its Router.
#include <algorithm>

#include "sim/base/distinct.h"
#include "sim/machine/network/network_core.h"

namespace tilewright {

// On rings and tori destinations are reached by several ways: a packet goes each of them. Of two that are equally short
// always the same, so that those who share it are many.
int NetworkCore::inject_to_all(const Packet& packet, std::span<const int> destinations, Cycles cycle) {
  SIM_CHECK(copies() && destinations.size() > 1 && packet.flits <= spec_.router.buffer_flits,
            "a packet of {} flits to {} terminals", packet.flits, destinations.size());
  const auto choice_of = [&](int destination) { return routes_.choose(packet.source, destination, 0); };
  std::vector<int> left(destinations.begin(), destinations.end());
  int outputs = 0;
  while (!left.empty()) {
    const RouteChoice choice = choice_of(left.front());
    const auto others =
        std::stable_partition(left.begin(), left.end(), [&](int to) { return choice_of(to) == choice; });
    std::vector<int> these(left.begin(), others);
    left.erase(left.begin(), others);
    Packet first = packet;
    first.destination = these.front();
    outputs += outputs_on_the_ways(packet.source, these, choice.way);
    const std::uint32_t index = enqueue(first, choice, cycle);
    if (these.size() > 1) state_.flights[index].destinations = state_.destinations.acquire(std::move(these));
  }
  wake_source(packet.source, cycle);
  return outputs;
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
  Packet other = waiting;
  other.destination = destination;
  enqueue(other, choice, cycle);
  wake_source(waiting.source, cycle);
  return outputs_on_the_ways(waiting.source, {&destination, 1}, choice.way);
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

void NetworkCore::sort_by_output(int router, const Flight& flight) {
  ways_.clear();
  for (const int destination : state_.destinations[flight.destinations])
    ways_.emplace_back(routes_.output(router, destination, flight.choice.way), destination);
  std::ranges::sort(ways_);
}

// Leaves ways_ sorted if so.
bool NetworkCore::parts_at(int router, std::uint32_t flight) {
  if (state_.flights[flight].destinations == kNone) return false;
  sort_by_output(router, state_.flights[flight]);
  return ways_.front().first != ways_.back().first;
}

// Behind the front packet's own groups, and behind all others where it needs the whole buffer for its copies.
bool NetworkCore::may_enter(const CopyPoint& point, int router, const FlitGroup& group) {
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
  if (group.head && parts_at(arrival.router, group.packet)) begin_copies(point, group.packet);
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

// A flight for each output in ways_.
void NetworkCore::begin_copies(CopyPoint& point, std::uint32_t original) {
  point.packet = original;
  for (auto first = ways_.begin(); first != ways_.end();) {
    const auto last = std::find_if(first, ways_.end(), [&](const auto& way) { return way.first != first->first; });
    point.copies.push_back(copy_for(original, std::span(first, last)));
    first = last;
  }
  point.left.assign(point.copies.size(), 0);
  Flight& flight = state_.flights[original];
  state_.destinations.release(flight.destinations);
  flight.destinations = kNone;
  flight.copied = true;
}

std::uint32_t NetworkCore::copy_for(std::uint32_t original, std::span<const std::pair<int, int>> ways) {
  const std::uint32_t index = take_flight();
  Flight& copy = state_.flights[index];
  copy = state_.flights[original];
  copy.packet.destination = ways.front().second;
  copy.destinations = kNone;
  ++state_.under_way;
  if (ways.size() == 1) return index;
  std::vector<int> destinations;
  for (const auto& way : ways) destinations.push_back(way.second);
  copy.destinations = state_.destinations.acquire(std::move(destinations));
  return index;
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
  const int left = ++point.left[static_cast<std::size_t>(move.input / inputs)];
  if (move.group.tail) {  // what came between its flits on the way here has been told of the original
    Flight& copy = state_.flights[move.group.packet];
    copy.delay = std::max(copy.delay, state_.flights[point.packet].delay);
  }
  if (*std::ranges::min_element(point.left) == point.freed) return false;
  ++point.freed;
  give_back(index, move.input % inputs, move.input_vc, move.group.flits);
  return move.group.tail && left == point.freed;
}

// The router before may still speak of the original while its last group crosses there.
void NetworkCore::end_copies(CopyPoint& point, int last_flits) {
  state_.ends.push(at(state_.now + last_flits), point.packet);
  point.packet = CopyPoint::kNone;
  point.copies.clear();
  point.freed = 0;
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
