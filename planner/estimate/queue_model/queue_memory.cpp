#include "planner/estimate/queue_model/queue_memory.h"

#include <algorithm>

#include "sim/base/distinct.h"
#include "sim/base/units.h"

namespace tilewright {

QueueMemory::QueueMemory(const Hardware& hardware, RouterBuffers buffers, Calendar& calendar)
    : hardware_(hardware),
      map_(hardware),
      calendar_(calendar),
      network_(make_queue_transport(hardware.network, buffers, calendar, *this)),
      leaving_ports_(hardware.network),
      command_buses_(hardware.dram.shared_command_bus ? hardware.dram.channels : 0),
      due_(hardware.dram.channels * hardware.dram.pseudo_channels, kNeverCycle),
      sums_(hardware, *network_),
      reads_(std::int64_t{hardware.network.multicast} *
             (hardware.dram.channels + hardware.clusters + hardware.cores())) {
  const DramSpec& dram = hardware_.dram;
  const int places = hardware.network.memory_port.places;
  if (places > 0) ports_.assign(dram.channels, {places, {}});
  for (std::size_t i = 0; i < due_.size(); ++i)
    pseudo_channels_.emplace_back(dram, dram.shared_command_bus ? &command_buses_[i / dram.pseudo_channels] : nullptr);
}

void QueueMemory::add(Picoseconds time, Stage stage, std::size_t index) {
  calendar_.add(time, *this, stage << kStageBit | static_cast<std::uint32_t>(index));
}

void QueueMemory::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  const Flight flight =
      map_.is_dram(request.address) ? flight_to_channel(request, client) : flight_to_peer(request, client);
  if (request.sums()) return sums_.begin(request, flight.port, flights_.acquire(flight), now);
  const int flits = hardware_.network.flits_for(request.write ? request.bytes : 0);
  const int port = leaving_ports_.next(hardware_.network, hardware_.cluster_of(request.core), flight.port);
  network_->send({port, flight.end, flits, false, flights_.acquire(flight)}, now);
}

QueueMemory::Flight QueueMemory::flight_to_channel(const MemoryRequest& request, MemoryClient& client) const {
  const NetworkSpec& network = hardware_.network;
  const ChannelAddress place = locate(hardware_.dram, request.address);
  const int port = network.port_towards(hardware_.cluster_of(request.core), place.channel);
  return {request, &client, place, port, network.channel_terminal(place.channel)};
}

QueueMemory::Flight QueueMemory::flight_to_peer(const MemoryRequest& request, MemoryClient& client) const {
  const NetworkSpec& network = hardware_.network;
  const ChipMap::Place place = map_.place_of(request.address);
  const int port = network.port_towards(hardware_.cluster_of(request.core), place.owner);
  return {request, &client, {kNoChannel, 0}, port, terminal_of(hardware_, place.space, place.owner, request.core)};
}

// Another cluster's memory takes no time.
void QueueMemory::packet_arrived(const QueuePacket& packet, Picoseconds time) {
  if ((packet.what & kShared) != 0) return copy_arrived(packet, time);
  if (QueueSums::owns(packet)) {
    if (const auto read = sums_.packet_arrived(packet, time)) add(time, kAnswer, *read);
    return;
  }
  const std::uint32_t index = packet.what;
  const Flight& flight = flights_[index];
  if (flight.answered) return add(time, kAnswer, index);
  if (join(index, time)) return;
  flight.place.channel == kNoChannel ? send_answer(index, time) : enter(index, time);
}

bool QueueMemory::join(std::uint32_t index, Picoseconds time) {
  Flight& flight = flights_[index];
  if (hardware_.network.multicast == 0 || flight.request.write) return false;
  if (const auto known = reads_.find(flight.request)) {
    if (extend(reads_[*known], flight.port, time)) {
      reads_[*known].waiting.push_back(index);
      return true;
    }
    reads_.shut(*known);
  }
  flight.shared = reads_.open(flight.request, {.waiting = {index}});
  return false;
}

// Its answer reaches this terminal as well; false when it has begun to leave.
bool QueueMemory::extend(const SharedRead& read, int terminal, Picoseconds time) {
  if (read.leaves == kNever) return true;
  if (read.leaves <= time) return false;
  QueuePacket copy = read.answer;
  copy.destination = terminal;
  const auto same = [&](std::uint32_t index) { return flights_[index].port == terminal; };
  if (std::ranges::none_of(read.waiting, same)) network_->send_copy(copy, read.answer.destination, read.leaves);
  return true;
}

void QueueMemory::send_answer(std::uint32_t index, Picoseconds time) {
  Flight& flight = flights_[index];
  flight.answered = true;
  const int flits = hardware_.network.flits_for(flight.request.write ? 0 : flight.request.bytes);
  if (!flight.shared) return network_->send({flight.end, flight.port, flits, true, index}, time);
  send_shared({flight.end, flight.port, flits, true, kShared | *flight.shared}, reads_[*flight.shared], time);
}

void QueueMemory::send_shared(const QueuePacket& answer, SharedRead& read, Picoseconds time) {
  std::vector<int> terminals;
  for (const std::uint32_t index : read.waiting) terminals.push_back(flights_[index].port);
  keep_distinct(terminals);
  read.answer = answer;
  read.leaves = network_->send_to_all(answer, terminals, time);
}

// Whoever asked by way of this terminal has its answer.
void QueueMemory::copy_arrived(const QueuePacket& packet, Picoseconds time) {
  const std::uint32_t place = packet.what & ~kShared;
  reads_.shut(place);
  SharedRead& read = reads_[place];
  const auto here = [&](std::uint32_t index) { return flights_[index].port == packet.destination; };
  for (const std::uint32_t index : read.waiting)
    if (here(index)) add(time, kAnswer, index);
  std::erase_if(read.waiting, here);
  if (read.waiting.empty()) reads_.release(place);
}

void QueueMemory::happen(std::uint32_t what, Picoseconds now) {
  const std::uint32_t index = what & ((1u << kStageBit) - 1);
  switch (static_cast<Stage>(what >> kStageBit)) {
    case kServe:
      return serve(index, now);
    case kAnswer:
      return answer(index, now);
    case kFree:
      return free_place(index, now);
  }
}

void QueueMemory::enter(std::uint32_t index, Picoseconds time) {
  if (ports_.empty()) return push(index, time);
  Port& port = ports_[flights_[index].place.channel];
  if (port.places == 0) return port.waiting.push_back(index);
  --port.places;
  push(index, time);
}

void QueueMemory::free_place(std::size_t channel, Picoseconds now) {
  Port& port = ports_[channel];
  ++port.places;
  if (port.waiting.empty()) return;
  const std::uint32_t next = port.waiting.front();
  port.waiting.pop_front();
  enter(next, now);
}

// The parts of a request in rows and pseudo channels are served one by one.
void QueueMemory::push(std::uint32_t index, Picoseconds arrived) {
  Flight& flight = flights_[index];
  const DramSpec& dram = hardware_.dram;
  const Bytes chunk = dram.pseudo_interleave_bytes > 0 ? dram.pseudo_interleave_bytes : dram.interleave_bytes;
  const Cycles clock = dram.clock.ceil(arrived) + 1;
  for_each_chunk(flight.place.offset, flight.request.bytes, chunk, [&](Address at, Bytes bytes) {
    const DramCoordinate place = coordinate_of(dram, at);
    const Address bursts = ceil_div<Address>(at + bytes, dram.burst_bytes) - at / dram.burst_bytes;
    const std::size_t pseudo_channel = flight.place.channel * dram.pseudo_channels + place.pseudo_channel;
    ++flight.parts_left;
    pseudo_channels_[pseudo_channel].push({place.bank_group * dram.banks_per_group + place.bank, place.row,
                                           static_cast<int>(bursts), flight.request.write, index},
                                          clock);
    if (clock >= due_[pseudo_channel]) return;
    due_[pseudo_channel] = clock;
    add(dram.clock.to_ps(clock), kServe, pseudo_channel);
  });
}

void QueueMemory::serve(std::size_t pseudo_channel, Picoseconds now) {
  const Clock clock = hardware_.dram.clock;
  const Cycles now_clock = clock.floor(now);
  if (due_[pseudo_channel] > now_clock) return;  // has been served since
  served_.clear();
  const Cycles next = pseudo_channels_[pseudo_channel].serve(now_clock, served_);
  due_[pseudo_channel] = next;
  if (next != kNeverCycle) add(clock.to_ps(next), kServe, pseudo_channel);
  for (const DramServed& served : served_) part_served(served);
}

void QueueMemory::part_served(const DramServed& served) {
  Flight& flight = flights_[served.request];
  flight.done = std::max(flight.done, served.clock);
  if (--flight.parts_left > 0) return;
  const bool write = flight.request.write;
  const Cycles ready = flight.done + (write ? 0 : hardware_.dram.controller_clocks);
  const Picoseconds time = hardware_.dram.clock.to_ps(ready);
  if (!ports_.empty()) add(time, kFree, flight.place.channel);
  send_answer(served.request, time);
}

void QueueMemory::answer(std::uint32_t index, Picoseconds now) {
  const Flight flight = flights_[index];
  flights_.release(index);
  flight.client->memory_done(flight.request, now);
}

Picoseconds QueueMemory::quiet() const {
  Cycles last = 0;
  for (const QueueDram& dram : pseudo_channels_) last = std::max(last, dram.quiet());
  return hardware_.dram.clock.to_ps(last);
}

// Channels that rest are refreshed as well.
void QueueMemory::count(EventCounts& events, Picoseconds end) const {
  const auto add = [&](Event event, std::int64_t count) { events[static_cast<int>(event)] += count; };
  const DramSpec& spec = hardware_.dram;
  const Cycles interval = spec.timing.REFI;
  for (const QueueDram& dram : pseudo_channels_) {
    const DramActivity& done = dram.activity();
    add(Event::kDramActivate, done.activates);
    add(Event::kDramReadBytes, done.read_bursts * spec.burst_bytes);
    add(Event::kDramWriteBytes, done.write_bursts * spec.burst_bytes);
    if (interval > 0) add(Event::kDramRefresh, spec.clock.floor(end) / interval);
  }
  add(Event::kFlitHop, network_->hops());
  add(Event::kNetworkAdd, sums_.added());
}

}  // namespace tilewright
