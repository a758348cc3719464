// A network from its specification: what a router can hold, delays, empty state, and which port leads where.
#include <algorithm>

#include "sim/machine/network/network_core.h"
#include "sim/machine/network/network_simple.h"
#include "sim/machine/network/network_transport.h"

namespace tilewright {

// The cycle a flit is read by a router counts as its routing cycle; a virtual channel is won `vc` cycles before the
// switch. A terminal is read one cycle after its channel, as any router.
NetworkCore::Delays NetworkCore::delays_of(const RouterSpec& spec) {
  Delays delays;
  delays.route = spec.routing_cycles + std::max(0, spec.vc_allocation_cycles - 1);
  const Cycles crossbar = spec.switch_allocation_cycles + spec.traversal_cycles;
  delays.to_router = crossbar + spec.link_cycles;
  delays.to_terminal = crossbar + spec.terminal_cycles;
  delays.from_terminal = 1 + spec.terminal_cycles;
  delays.credit_to_router = 1 + spec.link_cycles;
  delays.credit_to_terminal = 1 + spec.terminal_cycles;
  delays.terminal_credit = delays.to_terminal + 1 + spec.terminal_cycles;
  return delays;
}

Cycles NetworkCore::horizon_of(const NetworkSpec& spec) {
  const Delays delays = delays_of(spec.router);
  const Cycles longest = std::max({delays.route, delays.to_router, delays.terminal_credit, delays.credit_to_router});
  return longest + spec.router.buffer_flits + 2;
}

// What a router can hold, and the channels without which packets could wait for each other without end.
const NetworkSpec& NetworkCore::checked(const NetworkSpec& spec, VcSharing sharing) {
  const auto expect = [](const char* key, int value, int least, int most) {
    if (value < least || value > most)
      throw UserError(key, fmt::format("got {}, expected {} to {}", value, least, most));
  };
  const int kinds = (sharing == VcSharing::kSplit ? 2 : 1) * (has_rings(spec.topology) ? 2 : 1);
  expect("network.router.virtual_channels", spec.router.virtual_channels, kinds, Router::kMaxChannels);
  expect("network.router.buffer_flits", spec.router.buffer_flits, 1, Router::kMaxBufferFlits);
  expect("network.router.routing_cycles", spec.router.routing_cycles, 0, kMaxCycles);
  expect("network.router.vc_allocation_cycles", spec.router.vc_allocation_cycles, 0, kMaxCycles);
  expect("network.router.switch_allocation_cycles", spec.router.switch_allocation_cycles, 1, kMaxCycles);
  expect("network.router.traversal_cycles", spec.router.traversal_cycles, 0, kMaxCycles);
  expect("network.router.link_cycles", spec.router.link_cycles, 1, kMaxCycles);
  expect("network.router.terminal_cycles", spec.router.terminal_cycles, 0, kMaxCycles);
  expect("network: routers", spec.routers, 1, kMaxNumber);
  expect("network: terminals", spec.terminals(), 1, kMaxNumber);
  const int most = spec.multicast > 0 ? kMaxCopyingPorts : Router::kMaxPorts;
  for (const int count : spec.router_ports())
    if (count > most)
      throw UserError(spec.multicast > 0 ? "network.multicast" : "network",
                      fmt::format("a router with {} ports, expected at most {}", count, most));
  return spec;
}

NetworkCore::NetworkCore(const NetworkSpec& spec, VcSharing sharing)
    : spec_(checked(spec, sharing)),
      sharing_(sharing),
      routes_(spec),
      delays_(delays_of(spec.router)),
      initial_(make_state()) {
  connect();
  state_ = initial_;
}

NetworkCore::State NetworkCore::make_state() const {
  State state;
  const RouterSpec& router = spec_.router;
  state.marks = CycleMarks(static_cast<int>(horizon_of(spec_)));
  state.end_marks = state.marks;
  const unsigned slots = state.marks.size();
  state.credits = CycleWheel<Credit>(slots);
  state.arrivals = CycleWheel<Arrival>(slots);
  state.routed = CycleWheel<Routed>(slots);
  state.ends = CycleWheel<std::uint32_t>(slots);
  state.source_wakes = CycleSets(slots, spec_.terminals());
  state.router_wakes = CycleSets(slots, spec_.routers);
  state.takes = CycleSets(slots, spec_.channels);
  if (spec_.port_queue > 0) state.backlogs.resize(spec_.clusters);
  if (spec_.memory_port.places > 0)
    state.held.assign(spec_.channels, HeldPackets(spec_.memory_port, router.virtual_channels));
  for (const RouterPorts& ports : routes_.ports()) {
    // A packet leaves by each output once: as many copies of it are read from a buffer.
    const int readers = copies() ? ports.inputs() * ports.outputs() : ports.inputs();
    state.routers.emplace_back(Router::Shape{readers, ports.outputs(), router.virtual_channels, router.buffer_flits,
                                             router.vc_allocation_cycles == 0});
    if (copies()) state.copy_points.emplace_back(ports.inputs() * router.virtual_channels);
  }
  Source source;
  source.credits.assign(router.virtual_channels, static_cast<std::int16_t>(router.buffer_flits));
  state.sources.assign(spec_.terminals(), source);
  state.link_flits.assign(spec_.links.size(), 0);
  state.ejected_flits.assign(spec_.routers, 0);
  return state;
}

void NetworkCore::connect() {
  const auto& ports = routes_.ports();
  upstream_.resize(ports.size());
  downstream_.resize(ports.size());
  entry_.resize(spec_.terminals());
  exit_.resize(spec_.terminals());
  for (std::size_t router = 0; router < ports.size(); ++router) {
    for (const int link : ports[router].in_links) {
      const int from = spec_.links[link].from;
      upstream_[router].push_back(
          {static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(routes_.out_port(link)), false, 0, link});
    }
    for (const int link : ports[router].out_links) {
      const int to = spec_.links[link].to;
      downstream_[router].push_back({static_cast<std::uint16_t>(to), static_cast<std::uint16_t>(routes_.in_port(link)),
                                     false, static_cast<std::uint8_t>(routes_.dimension_of(link)), link});
    }
    for (const int terminal : ports[router].terminals) {
      entry_[terminal] = {static_cast<std::uint16_t>(router), static_cast<std::uint16_t>(upstream_[router].size())};
      exit_[terminal] = {static_cast<std::uint16_t>(router), static_cast<std::uint16_t>(downstream_[router].size())};
      upstream_[router].push_back({static_cast<std::uint16_t>(terminal), 0, true});
      downstream_[router].push_back({static_cast<std::uint16_t>(terminal), 0, true});
    }
  }
}

std::unique_ptr<NetworkTransport> make_transport(const NetworkSpec& spec, VcSharing sharing) {
  if (spec.topology == Topology::kSimple) return std::make_unique<NetworkSimple>(spec);
  return std::make_unique<NetworkCore>(spec, sharing);
}

}  // namespace tilewright
