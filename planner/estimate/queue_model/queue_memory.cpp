#include "planner/estimate/queue_model/queue_memory.h"

#include <algorithm>
#include <queue>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/hw/timing/address_map.h"

namespace tilewright {
namespace {

// Links between two routers on a shortest way.
int links_between(const NetworkSpec& network, int from, int to) {
  std::vector<int> distance(network.routers, -1);
  std::queue<int> open({from});
  distance[from] = 0;
  for (; !open.empty() && distance[to] < 0; open.pop())
    for (const NetworkSpec::Link& link : network.links)
      if (link.from == open.front() && distance[link.to] < 0) {
        distance[link.to] = distance[link.from] + 1;
        open.push(link.to);
      }
  SIM_CHECK(distance[to] >= 0, "no way from router {} to router {}", from, to);
  return distance[to];
}

// Of a flit between a cluster's port and a channel, without load.
Cycles way_between(const NetworkSpec& network, int port, int channel) {
  if (network.topology == Topology::kSimple) return network.simple_latency_cycles;
  const RouterSpec& r = network.router;
  const Cycles router = r.routing_cycles + r.vc_allocation_cycles + r.switch_allocation_cycles + r.traversal_cycles;
  const int links =
      links_between(network, network.terminal_router[port], network.terminal_router[network.channel_terminal(channel)]);
  return 2 * r.terminal_cycles + (links + 1) * router + links * r.link_cycles;
}

}  // namespace

QueueMemory::QueueMemory(const Hardware& hardware, Calendar& calendar)
    : hardware_(hardware),
      map_(hardware),
      calendar_(calendar),
      pseudo_channels_(hardware.dram.channels * hardware.dram.pseudo_channels, QueueDram(hardware.dram)),
      due_(pseudo_channels_.size(), kNeverCycle) {
  const NetworkSpec& network = hardware.network;
  const int ports = network.clusters * network.ports_per_cluster;
  port_in_.assign(ports, 0);
  port_out_.assign(ports, 0);
  channel_in_.assign(network.channels, 0);
  channel_out_.assign(network.channels, 0);
  for (int port = 0; port < ports; ++port)
    for (int channel = 0; channel < network.channels; ++channel)
      ways_.push_back(network.clock.to_ps(way_between(network, port, channel)));
}

void QueueMemory::add(Picoseconds time, Stage stage, std::size_t index) {
  calendar_.add(time, *this, stage << 30 | static_cast<std::uint32_t>(index));
}

Picoseconds QueueMemory::pass(Picoseconds& free, Picoseconds from, int flits) const {
  const Picoseconds start = std::max(free, from);
  free = start + hardware_.network.clock.to_ps(flits);
  return start;
}

// Without routers a packet counts, not its length.
int QueueMemory::flits_of(Bytes payload) const {
  if (hardware_.network.topology == Topology::kSimple) return 1;
  return hardware_.network.flits_for(payload);
}

void QueueMemory::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  const NetworkSpec& network = hardware_.network;
  if (!map_.is_dram(request.address)) return send_to_peer(request, client, now);
  const int channel = locate(hardware_.dram, request.address).channel;
  const int port = network.cluster_terminal(hardware_.cluster_of(request.core), channel % network.ports_per_cluster);
  const int flits = flits_of(request.write ? request.bytes : 0);
  const Picoseconds leaves = pass(port_in_[port], now, flits);
  pass(channel_in_[channel], leaves + way(port, channel), flits);
  push(flights_.acquire({request, &client, channel, port}), channel_in_[channel]);
}

// There and back through the ports of both clusters; the memory at the other end takes no time.
void QueueMemory::send_to_peer(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  const NetworkSpec& network = hardware_.network;
  const ChipMap::Place place = map_.place_of(request.address);
  const int cluster = place.space == Space::kCluster ? place.owner : hardware_.cluster_of(place.owner);
  const int port =
      network.cluster_terminal(hardware_.cluster_of(request.core), place.owner % network.ports_per_cluster);
  const int peer = network.cluster_terminal(cluster, request.core % network.ports_per_cluster);
  const int flits = flits_of(request.write ? request.bytes : 0), back = flits_of(request.write ? 0 : request.bytes);
  const Picoseconds leaves = pass(port_in_[port], now, flits);
  pass(port_out_[peer], leaves + way(port, 0), flits);
  const Picoseconds answered = pass(port_in_[peer], port_out_[peer], back);
  add(answered + way(port, 0), kAtCluster, flights_.acquire({request, &client, 0, port}));
}

void QueueMemory::happen(std::uint32_t what, Picoseconds now) {
  const std::uint32_t index = what & 0x3fffffff;
  switch (static_cast<Stage>(what >> 30)) {
    case kServe:
      return serve(index, now);
    case kAtCluster:
      return reach_cluster(index, now);
    case kAnswer:
      return answer(index, now);
  }
}

// The parts of a request in rows and pseudo channels are served one by one.
void QueueMemory::push(std::uint32_t index, Picoseconds arrived) {
  Flight& flight = flights_[index];
  const DramSpec& dram = hardware_.dram;
  const Bytes chunk = dram.pseudo_interleave_bytes > 0 ? dram.pseudo_interleave_bytes : dram.interleave_bytes;
  const Cycles clock = dram.clock.ceil(arrived) + 1;
  const Address start = locate(dram, flight.request.address).offset;
  for_each_chunk(start, flight.request.bytes, chunk, [&](Address at, Bytes bytes) {
    const DramCoordinate place = coordinate_of(dram, at);
    const Address bursts = ceil_div<Address>(at + bytes, dram.burst_bytes) - at / dram.burst_bytes;
    const std::size_t pseudo_channel = flight.channel * dram.pseudo_channels + place.pseudo_channel;
    ++flight.parts_left;
    pseudo_channels_[pseudo_channel].push({place.bank_group, place.bank_group * dram.banks_per_group + place.bank,
                                           place.row, static_cast<int>(bursts), flight.request.write, index},
                                          clock);
    if (clock >= due_[pseudo_channel]) return;
    due_[pseudo_channel] = clock;
    add(dram.clock.to_ps(clock), kServe, pseudo_channel);
  });
}

void QueueMemory::serve(std::size_t pseudo_channel, Picoseconds now) {
  const Clock clock = hardware_.dram.clock;
  if (due_[pseudo_channel] > clock.floor(now)) return;  // has been served since
  served_.clear();
  const Cycles next = pseudo_channels_[pseudo_channel].serve(clock.floor(now), served_);
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
  const Picoseconds leaves =
      pass(channel_out_[flight.channel], hardware_.dram.clock.to_ps(ready), flits_of(write ? 0 : flight.request.bytes));
  add(leaves + way(flight.port, flight.channel), kAtCluster, served.request);
}

void QueueMemory::reach_cluster(std::uint32_t index, Picoseconds now) {
  const Flight& flight = flights_[index];
  pass(port_out_[flight.port], now, flits_of(flight.request.write ? 0 : flight.request.bytes));
  add(port_out_[flight.port], kAnswer, index);
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

}  // namespace tilewright
