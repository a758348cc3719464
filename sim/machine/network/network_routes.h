// Which way a packet takes through the routers, fixed when the hardware is known: XY on a mesh, the shorter way round a
// ring, dimension by dimension the shorter way round on a torus, fewest hops over the links as written for smp and
// numa.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
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

inline constexpr int kRouteDimensions = 2;

// How one packet is to be routed from its source on; one bit for each dimension of a ring (one) or torus (x, y).
struct RouteChoice {
  std::uint8_t way = 0;       // 0 upwards, 1 downwards
  std::uint8_t dateline = 0;  // 1 when the way passes between the last router of the dimension and its first
  bool crosses_dateline(int dimension) const { return (dateline >> dimension & 1) != 0; }
  auto operator<=>(const RouteChoice&) const = default;
};

class NetworkRoutes {
 public:
  // Throws UserError when a terminal cannot be reached or the routes could deadlock.
  explicit NetworkRoutes(const NetworkSpec& spec);

  const std::vector<RouterPorts>& ports() const { return ports_; }
  // Local output port of `router` towards `terminal`.
  int output(int router, int terminal, int way) const {
    const int target = spec_.terminal_router[terminal];
    return target == router ? terminal_port_[terminal]
                            : table_[(static_cast<std::size_t>(way) * routers_ + router) * routers_ + target];
  }
  // `turn` counts the packets with two ways before: they take them in turn.
  RouteChoice choose(int source, int destination, unsigned turn) const;
  // Both ways round some dimension are equally short.
  bool has_two_ways(int source, int destination) const;
  // choose() for the next packet of a source whose packets with two ways `turn` counts; only rings leave a choice.
  RouteChoice choose_next(int source, int destination, unsigned& turn) const;
  // Of one packet for several terminals: those that it reaches by each way round, of two that are equally short always
  // the same, so that many share it.
  std::map<RouteChoice, std::vector<int>> ways_to(int source, std::span<const int> destinations) const;
  // Those for which it leaves `router` by each output.
  std::map<int, std::vector<int>> outputs_to(int router, std::span<const int> destinations, int way) const;
  // Ports of a link at the router it leaves and at the router it enters.
  int out_port(int link) const { return link_ports_[link].out; }
  int in_port(int link) const { return link_ports_[link].in; }
  // 0 along x (and round a ring), 1 along y.
  int dimension_of(int link) const;
  // Routers passed from `source` to `destination`, both ends counted.
  int routers_passed(int source, int destination) const;
  bool uses_dateline() const { return has_rings(spec_.topology); }

 private:
  // Routers of one coordinate: its size, and how far apart in number neighbours are.
  struct Dimension {
    int size = 1, stride = 1;
    int coordinate(int router) const { return router / stride % size; }
  };
  struct LinkPorts {
    std::uint16_t out = 0, in = 0;
  };

  void number_ports();
  void fill_table();
  void note_direct_ports(int router);
  int link_port(int router, int target, bool last) const;
  int next_port(int router, int target, int way) const;
  int mesh_port(int router, int target) const;
  int round_port(int router, int target, int way) const;
  int shortest_port(int router, int target) const;
  int next_link(int router, int target) const;
  void measure_distances();
  std::vector<bool> routers_of_clusters() const;
  std::vector<std::pair<int, int>> waiting_links() const;
  void check_acyclic() const;

  NetworkSpec spec_;
  int routers_, terminals_;
  std::array<Dimension, kRouteDimensions> dimensions_;  // ring and torus
  std::vector<RouterPorts> ports_;
  std::vector<LinkPorts> link_ports_;
  std::vector<std::int16_t> terminal_port_;
  std::vector<int> direct_port_;     // [router]: of the router whose row is being filled
  std::vector<int> distance_;        // [router][router], smp and numa
  std::vector<std::int16_t> table_;  // [way][router][router]
};

}  // namespace tilewright
