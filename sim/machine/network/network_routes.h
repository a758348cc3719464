// Which way a packet takes through the routers, fixed when the hardware is known: XY on a mesh, the shorter way round a
// ring, fewest hops over the links as written for smp and numa.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/hw/config/network_spec.h"

namespace tilewright {

// Ports of a router: its links in the order of NetworkSpec::links, then its terminals in ascending order.
struct RouterPorts {
  std::vector<int> in_links, out_links;  // indices into NetworkSpec::links
  std::vector<int> terminals;
  int inputs() const { return static_cast<int>(in_links.size() + terminals.size()); }
  int outputs() const { return static_cast<int>(out_links.size() + terminals.size()); }
};

// How one packet is to be routed from its source on.
struct RouteChoice {
  std::uint8_t way = 0;       // ring: 0 upwards, 1 downwards
  std::uint8_t dateline = 0;  // ring: 1 when the way passes between the last router and router 0
};

class NetworkRoutes {
 public:
  // Throws UserError when a terminal cannot be reached or the routes could deadlock.
  explicit NetworkRoutes(const NetworkSpec& spec);

  const std::vector<RouterPorts>& ports() const { return ports_; }
  // Local output port of `router` towards `terminal`.
  int output(int router, int terminal, int way) const {
    return table_[(static_cast<std::size_t>(way) * routers_ + router) * terminals_ + terminal];
  }
  // `turn` alternates between the two ways when both are equally short.
  RouteChoice choose(int source, int destination, bool turn) const;
  // Both ways round the ring are equally short.
  bool has_two_ways(int source, int destination) const;
  // Routers passed from `source` to `destination`, both ends counted.
  int routers_passed(int source, int destination) const;
  bool uses_dateline() const { return ring_; }

 private:
  void number_ports();
  void fill_tables();
  int link_port(int router, int target, bool last) const;
  int next_port(int router, int target, int way) const;
  int mesh_port(int router, int target) const;
  int shortest_port(int router, int target) const;
  void measure_distances();
  void check_acyclic() const;

  NetworkSpec spec_;
  bool ring_;
  int routers_, terminals_;
  std::vector<RouterPorts> ports_;
  std::vector<int> distance_;        // [router][router], smp and numa
  std::vector<std::int16_t> table_;  // [way][router][terminal]
};

}  // namespace tilewright
