#include "sim/machine/memory/memory_fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/distinct.h"
#include "sim/base/error.h"
#include "sim/hw/timing/address_map.h"

namespace tilewright {

namespace {

// Mark the packet of a signal, and the answer of a read that others join; below is its place, above who answers.
constexpr std::uint64_t kSignal = std::uint64_t{1} << 32, kShared = std::uint64_t{1} << 33;
constexpr int kAnswererBit = 34;

}  // namespace

MemoryFabric::MemoryFabric(const Hardware& hardware, NetworkPort& network, std::vector<DramPort*> channels,
                           EventMeter& meter)
    : hardware_(hardware),
      network_(network),
      channels_(std::move(channels)),
      map_(hardware),
      sums_(hardware, network, peers_, meter) {
  for (int terminal = 0; terminal < hardware.network.terminals(); ++terminal) network.attach(terminal, this);
  for (DramPort* channel : channels_) channel->set_client(this);
  reset();
}

void MemoryFabric::reset() {
  state_ = State{};
  sums_.reset();
  state_.leaving_ports = LeavingPorts(hardware_.network);
  const int entries = hardware_.network.multicast;
  if (entries > 0)
    state_.reads.assign(channels_.size() + hardware_.clusters + hardware_.cores(), JoinedReads<SharedRead>(entries));
}

MemoryFabric::InFlight MemoryFabric::to_channel(const MemoryRequest& request) const {
  const int channel = locate(hardware_.dram, request.address).channel;
  InFlight flight;
  flight.terminal = hardware_.network.port_towards(hardware_.cluster_of(request.core), channel);
  flight.destination = hardware_.network.channel_terminal(channel);
  flight.channel = channels_[channel];
  return flight;
}

MemoryFabric::InFlight MemoryFabric::to_peer(const MemoryRequest& request) const {
  const ChipMap::Place place = map_.place_of(request.address);
  InFlight flight;
  flight.terminal = hardware_.network.port_towards(hardware_.cluster_of(request.core), place.owner);
  flight.destination = terminal_of(hardware_, place.space, place.owner, request.core);
  flight.memory = peers_.of(place.space, place.owner);
  return flight;
}

void MemoryFabric::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  InFlight flight = map_.is_dram(request.address) ? to_channel(request) : to_peer(request);
  flight.request = request;
  flight.client = &client;
  flight.sent = now;
  const int flits = network_.flits_for(request.write ? request.bytes : 0);
  const std::uint32_t place = state_.in_flight.acquire(flight);
  if (request.sums()) return sums_.begin(request, flight.terminal, place, now);
  const int port = state_.leaving_ports.next(hardware_.network, hardware_.cluster_of(request.core), flight.terminal);
  network_.send({port, flight.destination, flits, false, request.op, place}, now);
}

void MemoryFabric::send_signal(int from, int to, int flag, std::uint16_t op, Picoseconds now) {
  ++state_.signals_sent;
  const std::uint32_t place = state_.signals.acquire({to, flag, now});
  network_.send({hardware_.network.port_towards(hardware_.cluster_of(from), to),
                 hardware_.network.port_towards(hardware_.cluster_of(to), from), network_.flits_for(0), false, op,
                 kSignal | place},
                now);
}

void MemoryFabric::packet_arrived(const Packet& packet, Picoseconds now) {
  if (NetworkSums::owns(packet)) {
    if (const auto read = sums_.packet_arrived(packet, now)) answer(*read, now);
    return;
  }
  const auto place = static_cast<std::uint32_t>(packet.cookie);
  if ((packet.cookie & kSignal) != 0) {
    const SignalFlight signal = state_.signals[place];
    state_.signals.release(place);
    state_.signal_latency += now - signal.sent;
    return signals_->signal_arrived(signal.core, signal.flag);
  }
  if ((packet.cookie & kShared) != 0) return copy_arrived(packet, now);
  if (packet.reply) return answer(place, now);
  if (!join(place, now)) forward(place, now);
}

void MemoryFabric::answer(std::uint32_t place, Picoseconds now) {
  const InFlight done = state_.in_flight[place];
  state_.in_flight.release(place);
  count(done, now);
  done.client->memory_done(done.request, now);
}

std::size_t MemoryFabric::answerer_of(const InFlight& flight) const {
  if (flight.channel) return static_cast<std::size_t>(locate(hardware_.dram, flight.request.address).channel);
  const ChipMap::Place place = map_.place_of(flight.request.address);
  const int before = place.space == Space::kCluster ? 0 : hardware_.clusters;
  return channels_.size() + static_cast<std::size_t>(before + place.owner);
}

// A read whose bytes another waits for at the same memory, or whose answer has not begun to leave. Any other can be
// joined itself, as far as there is room.
bool MemoryFabric::join(std::uint32_t place, Picoseconds now) {
  if (state_.reads.empty()) return false;
  InFlight& flight = state_.in_flight[place];
  if (flight.request.write) return false;
  JoinedReads<SharedRead>& reads = state_.reads[answerer_of(flight)];
  if (const auto known = reads.find(flight.request)) {
    flight.joined = extend(reads[*known], flight.terminal, now);
    if (flight.joined) {
      reads[*known].waiting.push_back(place);
      return true;
    }
    reads.shut(*known);
  }
  flight.shared = reads.open(flight.request, {.waiting = {place}}).value_or(kNone);
  return false;
}

// Its answer reaches this terminal as well; false when it has begun to leave.
bool MemoryFabric::extend(SharedRead& read, int terminal, Picoseconds now) {
  if (read.copies == 0) return true;
  const std::optional<int> copies = network_.also_to(terminal, read.answer, now);
  read.copies += copies.value_or(0);
  return copies.has_value();
}

void MemoryFabric::forward(std::uint32_t place, Picoseconds now) {
  const InFlight& flight = state_.in_flight[place];
  MemoryRequest request = flight.request;
  request.tag = place;
  if (flight.memory) {
    flight.memory->send(request, *this, now);
  } else {
    flight.channel->memory_request(request, now);
  }
}

void MemoryFabric::memory_done(const MemoryRequest& request, Picoseconds now) {
  InFlight& flight = state_.in_flight[request.tag];
  flight.request.delay = request.delay;
  const int flits = network_.flits_for(request.write ? 0 : request.bytes);
  const Packet reply{flight.destination, flight.terminal, flits, true, request.op, request.tag};
  if (flight.shared == kNone) return network_.send(reply, now);
  const std::size_t answerer = answerer_of(flight);
  SharedRead& read = state_.reads[answerer][flight.shared];
  read.answer = reply;
  read.answer.cookie = kShared | std::uint64_t{answerer} << kAnswererBit | flight.shared;
  read.delay = request.delay;
  send_copies(read, now);
}

void MemoryFabric::send_copies(SharedRead& read, Picoseconds now) {
  std::vector<int> terminals;
  for (const std::uint32_t place : read.waiting) terminals.push_back(state_.in_flight[place].terminal);
  keep_distinct(terminals);
  read.copies = static_cast<int>(terminals.size());
  terminals.size() == 1 ? network_.send(read.answer, now) : network_.send_to_all(read.answer, terminals, now);
}

// Whoever asked by way of this terminal has its answer.
void MemoryFabric::copy_arrived(const Packet& packet, Picoseconds now) {
  JoinedReads<SharedRead>& reads = state_.reads[packet.cookie >> kAnswererBit];
  const auto number = static_cast<std::uint32_t>(packet.cookie);
  reads.shut(number);
  SharedRead& read = reads[number];
  const auto here = [&](std::uint32_t place) { return state_.in_flight[place].terminal == packet.destination; };
  std::vector<std::uint32_t> answered;
  std::ranges::copy_if(read.waiting, std::back_inserter(answered), here);
  std::erase_if(read.waiting, here);
  const MemoryDelay delay = read.delay;
  if (--read.copies == 0) reads.release(number);
  for (const std::uint32_t place : answered) {
    state_.in_flight[place].request.delay = delay;
    answer(place, now);
  }
}

MemoryTraffic MemoryFabric::traffic_of(std::size_t op) const {
  return op < state_.traffic.size() ? state_.traffic[op] : MemoryTraffic{};
}

void MemoryFabric::count_traffic(const MemoryRequest& request) {
  const auto op = static_cast<std::size_t>(request.op);
  if (op >= state_.traffic.size()) state_.traffic.resize(op + 1);
  const bool one = hardware_.dram.regions == 1;
  const int region = one ? 0 : hardware_.dram.region_of(request.address);
  const bool local = region == hardware_.local_region(hardware_.cluster_of(request.core));
  (local ? state_.traffic[op].local : state_.traffic[op].remote) += request.bytes;
}

void MemoryFabric::Answered::add(const MemoryRequest& request, Picoseconds took) {
  (request.write ? writes : reads) += 1;
  (request.write ? write_bytes : read_bytes) += request.bytes;
  (request.write ? write_latency : read_latency) += took;
}

void MemoryFabric::count(const InFlight& done, Picoseconds now) {
  if (done.joined) return state_.copied.add(done.request, now - done.sent);
  if (!done.memory) count_traffic(done.request);
  (done.memory ? state_.peers : state_.dram).add(done.request, now - done.sent);
}

// In core clocks.
double MemoryFabric::average_cycles(Picoseconds sum, std::int64_t count) const {
  if (count == 0) return 0;
  return static_cast<double>(sum) / static_cast<double>(count) / static_cast<double>(hardware_.core_clock.period_ps);
}

std::string MemoryFabric::waiting_for() const {
  return state_.in_flight.used() == 0 ? "" : fmt::format("{} requests not answered", state_.in_flight.used());
}

void MemoryFabric::add_probes(Probes& probes) const {
  probes.push_back({"requests", 16, [this] { return static_cast<std::uint64_t>(state_.in_flight.used()); }});
}

void MemoryFabric::add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const {
  const Picoseconds total = run.length();
  const double seconds = static_cast<double>(total) / 1e12;
  const double peak = hardware_.dram.peak_bytes_per_second();
  const bool limited = hardware_.dram.model == DramModel::kBanked;  // an attached memory has limits of its own
  SIM_CHECK(!limited || static_cast<double>(state_.dram.read_bytes) <= peak * seconds * (1 + 1e-9),
            "{} bytes read from DRAM in {} ps is above the peak of {} bytes/s", state_.dram.read_bytes, total, peak);
  const double bytes = static_cast<double>(state_.dram.read_bytes + state_.dram.write_bytes);
  const double rate = total > 0 ? bytes / seconds : 0;
  statistics.add(prefix + ".reads", "requests", "DRAM read requests answered", static_cast<double>(state_.dram.reads));
  statistics.add(prefix + ".writes", "requests", "DRAM write requests answered",
                 static_cast<double>(state_.dram.writes));
  statistics.add(prefix + ".read_bytes", "bytes", "asked for and read", static_cast<double>(state_.dram.read_bytes));
  statistics.add(prefix + ".write_bytes", "bytes", "written", static_cast<double>(state_.dram.write_bytes));
  MemoryTraffic traffic;
  for (const MemoryTraffic& of_op : state_.traffic) traffic.local += of_op.local, traffic.remote += of_op.remote;
  statistics.add(prefix + ".local_bytes", "bytes", "between a cluster and the memory next to it",
                 static_cast<double>(traffic.local));
  statistics.add(prefix + ".remote_bytes", "bytes", "between a cluster and any other memory",
                 static_cast<double>(traffic.remote));
  statistics.add(prefix + ".bandwidth", "GB/s", "DRAM data over the whole run", rate / 1e9);
  statistics.add(prefix + ".average_read_latency", "cycles", "core clocks from the request to its last byte",
                 average_cycles(state_.dram.read_latency, state_.dram.reads));
  if (hardware_.network.multicast > 0) {
    statistics.add(prefix + ".multicast_reads", "requests", "answered by a copy of another reader's answer",
                   static_cast<double>(state_.copied.reads));
    statistics.add(prefix + ".multicast_bytes", "bytes", "of those reads",
                   static_cast<double>(state_.copied.read_bytes));
  }
  add_peer_statistics(prefix, statistics);
  sums_.add_statistics(prefix, statistics);
}

// Of a program that uses them.
void MemoryFabric::add_peer_statistics(const std::string& prefix, Statistics& statistics) const {
  const Answered& peers = state_.peers;
  const auto add = [&](const char* name, const char* unit, const char* what, double value) {
    statistics.add(prefix + ".peer_" + name, unit, what, value);
  };
  if (state_.signals_sent > 0) {
    add("signals", "signals", "sent as packets", static_cast<double>(state_.signals_sent));
    add("average_signal_latency", "cycles", "core clocks from sending to arrival",
        average_cycles(state_.signal_latency, state_.signals_sent));
  }
  if (peers.reads + peers.writes == 0) return;
  add("reads", "requests", "answered by other cores' buffers and other clusters' memory",
      static_cast<double>(peers.reads));
  add("writes", "requests", "taken by other cores' buffers and other clusters' memory",
      static_cast<double>(peers.writes));
  add("read_bytes", "bytes", "read from there", static_cast<double>(peers.read_bytes));
  add("write_bytes", "bytes", "written there", static_cast<double>(peers.write_bytes));
  add("average_read_latency", "cycles", "core clocks from the request to its last byte",
      average_cycles(peers.read_latency, peers.reads));
  add("average_write_latency", "cycles", "core clocks from the request to its answer",
      average_cycles(peers.write_latency, peers.writes));
}

}  // namespace tilewright
