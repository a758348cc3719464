#include "planner/estimate/queue_model/queue_routers.h"

#include <algorithm>
#include <bit>

namespace tilewright {

QueueRouters::QueueRouters(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client)
    : spec_(spec),
      calendar_(calendar),
      client_(client),
      routes_(spec),
      vc_bits_(std::bit_width(static_cast<unsigned>(spec.router.virtual_channels - 1))),
      flit_time_(spec.clock.to_ps(1)),
      entry_time_(spec.clock.to_ps(spec.router.terminal_cycles + spec.router.pipeline_cycles())),
      link_time_(spec.clock.to_ps(spec.router.link_cycles + spec.router.pipeline_cycles())),
      exit_time_(spec.clock.to_ps(spec.router.terminal_cycles)),
      next_time_(spec.clock.to_ps(spec.router.routing_cycles + spec.router.vc_allocation_cycles)),
      owner_time_(spec.clock.to_ps(spec.router.vc_allocation_cycles)),
      credit_time_(spec.clock.to_ps(spec.router.link_cycles)),
      sources_(spec.terminals()),
      turns_(spec.terminals(), 0) {
  number_channels();
  number_ports();
}

void QueueRouters::number_channels() {
  const int vcs = spec_.router.virtual_channels, requests = vcs / 2;
  const std::array<Channels, 2> ends{{{0, requests}, {requests, vcs - requests}}};
  for (int kind = 0; kind < kKinds; ++kind) {
    const auto [first, count] = ends[kind / 2];
    const int above = count / 2;
    end_channels_[kind] = link_channels_[kind] = ends[kind / 2];
    if (!routes_.uses_dateline()) continue;
    link_channels_[kind] = kind % 2 == 1 ? Channels{first + count - above, above} : Channels{first, count - above};
  }
}

void QueueRouters::number_ports() {
  const auto& ports = routes_.ports();
  std::vector<int> first_input;
  for (const RouterPorts& router : ports) {
    first_input.push_back(static_cast<int>(inputs_.size()));
    first_output_.push_back(static_cast<int>(outputs_.size()));
    inputs_.resize(inputs_.size() + router.inputs());
    outputs_.resize(outputs_.size() + router.outputs());
  }
  for (std::size_t router = 0; router < ports.size(); ++router) {
    int input = first_input[router];
    for (const int link : ports[router].in_links) {
      const int feeder = first_output_[spec_.links[link].from] + routes_.out_port(link);
      outputs_[feeder].first_channel = (input << vc_bits_), outputs_[feeder].link = link;
      inputs_[input++] = {0, static_cast<int>(router), feeder};
    }
    for (const int terminal : ports[router].terminals) {
      sources_[terminal].input = input;
      inputs_[input++] = {0, static_cast<int>(router), ~terminal};
    }
  }
  channels_.resize(inputs_.size() << vc_bits_);
  owned_.assign(outputs_.size() << vc_bits_, 0);
}

int QueueRouters::kind_of(const Flight& flight, int link) const {
  const bool crosses =
      link != kNone && routes_.uses_dateline() && flight.choice.crosses_dateline(routes_.dimension_of(link));
  return 2 * static_cast<int>(flight.packet.reply) + static_cast<int>(crosses);
}

void QueueRouters::send(const QueuePacket& packet, Picoseconds time) {
  const RouteChoice way = routes_.choose_next(packet.source, packet.destination, turns_[packet.source]);
  const std::uint32_t index = flights_.acquire({packet, way, time});
  auto& queue = sources_[packet.source].flights[static_cast<int>(packet.reply)];
  if (!queue.empty() || !enter(index)) queue.push_back(index);
}

Picoseconds QueueRouters::send_to_all(const QueuePacket&, std::span<const int>, Picoseconds) {
  SIM_CHECK(false, "a packet for several terminals on a network that does not copy");
}

void QueueRouters::send_copy(const QueuePacket&, int, Picoseconds) {
  SIM_CHECK(false, "a copy on a network that does not copy");
}

// Into the channel that has room first, of equals the next in turn; false while it is not known when one has.
bool QueueRouters::enter(std::uint32_t index) {
  Flight& flight = flights_[index];
  Source& source = sources_[flight.packet.source];
  const auto [first, count] = end_channels_[kind_of(flight, kNone)];
  Picoseconds& behind = source.behind[static_cast<int>(flight.packet.reply)];
  const Picoseconds ready = std::max({source.free, behind, flight.time});
  Picoseconds start = kNever;
  int taken = 0;
  for (int i = 0, vc = source.vc; i < count; ++i) {
    vc = vc < first || vc + 1 >= first + count ? first : vc + 1;
    const Picoseconds room =
        channels_[(source.input << vc_bits_) + vc].room_from(spec_.router.buffer_flits, flit_time_);
    if (room == kNever) continue;
    const Picoseconds from = std::max(ready, room + credit_time_);
    if (from < start) start = from, taken = vc;
  }
  if (start == kNever) return false;
  source.vc = taken;
  source.free = ready + flight.packet.flits * flit_time_;
  behind = start + flight.packet.flits * flit_time_;
  flight.time = start + entry_time_;
  arrive(index, (source.input << vc_bits_) + taken);
  return true;
}

void QueueRouters::arrive(std::uint32_t index, int channel) {
  Flight& flight = flights_[index];
  const int router = inputs_[channel >> vc_bits_].router;
  flight.output = first_output_[router] + routes_.output(router, flight.packet.destination, flight.choice.way);
  const bool is_front = channels_[channel].empty();
  channels_[channel].push(index, flight.packet.flits);
  if (is_front) await_front(channel);
}

int QueueRouters::place_of(const Output& output, int channel) {
  int place = 0;
  while (place < std::ssize(output.waiting) && output.waiting[place].channel < channel) ++place;
  return place;
}

void QueueRouters::await_front(int channel) {
  const QueueChannel& queue = channels_[channel];
  const Flight& flight = flights_[queue.front()];
  Output& output = outputs_[flight.output];
  const Picoseconds from = std::max(flight.time, queue.front_from());
  output.waiting.insert(output.waiting.begin() + place_of(output, channel),
                        {from, channel, channel >> vc_bits_, kind_of(flight, output.link)});
  wake(flight.output, std::max(from, output.free));
}

void QueueRouters::wake(int output, Picoseconds time) {
  if (outputs_[output].wake <= time) return;
  outputs_[output].wake = time;
  calendar_.add(time, *this, static_cast<std::uint32_t>(output));
}

void QueueRouters::happen(std::uint32_t output, Picoseconds now) {
  if (outputs_[output].wake != now) return;  // it has been woken earlier since
  outputs_[output].wake = kNever;
  serve(static_cast<int>(output), now);
}

QueueRouters::Way QueueRouters::way_of(int index, int kind) const {
  const Output& output = outputs_[index];
  const bool at_end = output.link == kNone;
  const auto [first, count] = (at_end ? end_channels_ : link_channels_)[kind];
  Way best{kNever, first};
  for (int vc = first; vc < first + count; ++vc) {
    Picoseconds from = owned_[(index << vc_bits_) + vc];
    if (!at_end) {
      const Picoseconds room = channels_[output.first_channel + vc].room_from(spec_.router.buffer_flits, flit_time_);
      from = room == kNever ? kNever : std::max(from, room + credit_time_);
    }
    if (from < best.from) best = {from, vc};
  }
  return best;
}

// Of those that can go now the first behind what was served last; kNone: none can. Then asks again when one can.
int QueueRouters::next_in_turn(int index, Picoseconds now, Way& taken) {
  const Output& output = outputs_[index];
  const int count = static_cast<int>(output.waiting.size());
  std::array<Way, kKinds> ways;
  Picoseconds next = kNever;
  for (int i = 0, place = place_of(output, output.served + 1); i < count; ++i, ++place) {
    if (place == count) place = 0;
    const Waiting& waiting = output.waiting[place];
    if (waiting.from > now) {
      next = std::min(next, waiting.from);
      continue;
    }
    taken = ways[waiting.kind];
    if (taken.vc < 0) taken = ways[waiting.kind] = way_of(index, waiting.kind);
    const Picoseconds from = std::max(inputs_[waiting.input].free, taken.from);
    if (from <= now) return place;
    next = std::min(next, from);
  }
  if (next != kNever) wake(index, next);
  return kNone;
}

void QueueRouters::serve(int index, Picoseconds now) {
  Output& output = outputs_[index];
  if (output.waiting.empty()) return;
  if (output.free > now) return wake(index, output.free);
  Way taken;
  const int place = next_in_turn(index, now, taken);
  if (place == kNone) return;
  const Waiting from = output.waiting[place];
  output.waiting.erase(output.waiting.begin() + place);
  cross(index, from, taken.vc, now);
  Picoseconds next = kNever;
  for (const Waiting& waiting : output.waiting) {
    next = std::min(next, waiting.from);
    if (next <= output.free) break;
  }
  if (next != kNever) wake(index, std::max(next, output.free));
}

// A packet that is there before the one in front has won the switch is routed and given a channel only when that one
// has left; a longer one comes later than that.
void QueueRouters::cross(int index, const Waiting& from, int vc, Picoseconds now) {
  Output& output = outputs_[index];
  QueueChannel& queue = channels_[from.channel];
  const std::uint32_t which = queue.front();
  Flight& flight = flights_[which];
  hops_ += flight.packet.flits;
  const bool routed_late = flight.packet.flits * flit_time_ <= next_time_;
  queue.pop(flight.packet.flits, now, flit_time_, routed_late ? next_time_ : 0);
  output.served = from.channel;
  output.free = inputs_[from.input].free = now + flight.packet.flits * flit_time_;
  owned_[(index << vc_bits_) + vc] = output.free + (routed_late ? owner_time_ : 0);
  flight.time = now + link_time_;
  if (!queue.empty()) await_front(from.channel);
  refill(from.channel, now);
  if (output.link != kNone) return arrive(which, output.first_channel + vc);
  const QueuePacket packet = flights_[which].packet;
  flights_.release(which);
  client_.packet_arrived(packet, output.free + exit_time_);
}

// What waits for room in the channel asks again. What is answered first frees others.
void QueueRouters::refill(int channel, Picoseconds now) {
  const int feeder = inputs_[channel >> vc_bits_].feeder;
  if (feeder >= 0) {
    if (outputs_[feeder].waiting.empty()) return;
    const Picoseconds room = channels_[channel].room_from(spec_.router.buffer_flits, flit_time_);
    if (room != kNever) wake(feeder, std::max({now, room + credit_time_, outputs_[feeder].free}));
    return;
  }
  Source& source = sources_[~feeder];
  for (const int reply : {1, 0})
    while (!source.flights[reply].empty() && enter(source.flights[reply].front())) source.flights[reply].pop_front();
}

}  // namespace tilewright
