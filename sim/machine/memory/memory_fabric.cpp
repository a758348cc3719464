#include "sim/machine/memory/memory_fabric.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/hw/timing/address_map.h"

namespace tilewright {

MemoryFabric::MemoryFabric(const Hardware& hardware, NetworkPort& network, std::vector<DramPort*> channels)
    : hardware_(hardware), network_(network), channels_(std::move(channels)) {
  for (int terminal = 0; terminal < hardware.network.terminals(); ++terminal) network.attach(terminal, this);
  for (DramPort* channel : channels_) channel->set_client(this);
}

void MemoryFabric::reset() { state_ = State{}; }

void MemoryFabric::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  const NetworkSpec& network = hardware_.network;
  const int channel = locate(hardware_.dram, request.address).channel;
  const int terminal =
      network.cluster_terminal(hardware_.cluster_of(request.core), channel % network.ports_per_cluster);
  const std::uint32_t place = state_.in_flight.acquire({request, &client, channel, terminal, now});
  const int flits = network_.flits_for(request.write ? request.bytes : 0);
  network_.send({terminal, network.channel_terminal(channel), flits, false, request.op, place}, now);
}

void MemoryFabric::packet_arrived(const Packet& packet, Picoseconds now) {
  const auto place = static_cast<std::uint32_t>(packet.cookie);
  const InFlight& flight = state_.in_flight[place];
  if (!packet.reply) {
    MemoryRequest request = flight.request;
    request.tag = place;
    return channels_[flight.channel]->memory_request(request, now);
  }
  const InFlight done = flight;
  state_.in_flight.release(place);
  count(done, now);
  done.client->memory_done(done.request, now);
}

void MemoryFabric::memory_done(const MemoryRequest& request, Picoseconds now) {
  const InFlight& flight = state_.in_flight[request.tag];
  const int flits = network_.flits_for(request.write ? 0 : request.bytes);
  network_.send(
      {hardware_.network.channel_terminal(flight.channel), flight.terminal, flits, true, request.op, request.tag}, now);
}

MemoryTraffic MemoryFabric::traffic_of(std::size_t op) const {
  return op < state_.traffic.size() ? state_.traffic[op] : MemoryTraffic{};
}

void MemoryFabric::count_traffic(const MemoryRequest& request) {
  const auto op = static_cast<std::size_t>(request.op);
  if (op >= state_.traffic.size()) state_.traffic.resize(op + 1);
  const auto region = static_cast<int>(request.address / hardware_.dram.region_capacity());
  const bool local = region == hardware_.local_region(hardware_.cluster_of(request.core));
  (local ? state_.traffic[op].local : state_.traffic[op].remote) += request.bytes;
}

void MemoryFabric::count(const InFlight& done, Picoseconds now) {
  count_traffic(done.request);
  if (done.request.write) {
    ++state_.writes;
    state_.write_bytes += done.request.bytes;
  } else {
    ++state_.reads;
    state_.read_bytes += done.request.bytes;
    state_.read_latency += now - done.sent;
  }
}

std::string MemoryFabric::waiting_for() const {
  return state_.in_flight.used() == 0 ? "" : fmt::format("{} DRAM requests not answered", state_.in_flight.used());
}

void MemoryFabric::add_probes(Probes& probes) const {
  probes.push_back({"requests", 16, [this] { return static_cast<std::uint64_t>(state_.in_flight.used()); }});
}

void MemoryFabric::add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const {
  const Picoseconds total = run.length();
  const double seconds = static_cast<double>(total) / 1e12;
  const double peak = hardware_.dram.peak_bytes_per_second();
  const bool limited = hardware_.dram.model == DramModel::kBanked;  // an attached memory has limits of its own
  SIM_CHECK(!limited || static_cast<double>(state_.read_bytes) <= peak * seconds * (1 + 1e-9),
            "{} bytes read from DRAM in {} ps is above the peak of {} bytes/s", state_.read_bytes, total, peak);
  const double bytes = static_cast<double>(state_.read_bytes + state_.write_bytes);
  const double rate = total > 0 ? bytes / seconds : 0;
  statistics.add(prefix + ".reads", "requests", "DRAM read requests answered", static_cast<double>(state_.reads));
  statistics.add(prefix + ".writes", "requests", "DRAM write requests answered", static_cast<double>(state_.writes));
  statistics.add(prefix + ".read_bytes", "bytes", "asked for and read", static_cast<double>(state_.read_bytes));
  statistics.add(prefix + ".write_bytes", "bytes", "written", static_cast<double>(state_.write_bytes));
  MemoryTraffic traffic;
  for (const MemoryTraffic& of_op : state_.traffic) traffic.local += of_op.local, traffic.remote += of_op.remote;
  statistics.add(prefix + ".local_bytes", "bytes", "between a cluster and the memory next to it",
                 static_cast<double>(traffic.local));
  statistics.add(prefix + ".remote_bytes", "bytes", "between a cluster and any other memory",
                 static_cast<double>(traffic.remote));
  statistics.add(prefix + ".bandwidth", "GB/s", "DRAM data over the whole run", rate / 1e9);
  statistics.add(prefix + ".average_read_latency", "cycles", "core clocks from the request to its last byte",
                 state_.reads == 0 ? 0
                                   : static_cast<double>(state_.read_latency) / static_cast<double>(state_.reads) /
                                         static_cast<double>(hardware_.core_clock.period_ps));
}

}  // namespace tilewright
