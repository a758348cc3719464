#include <algorithm>

#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

constexpr int kMaxHeaderFlits = 16;

RouterSpec resolve_router(const RouterConfig& c, Checker& check) {
  RouterSpec spec;
  spec.virtual_channels = c.virtual_channels.value_or(4);
  if (spec.virtual_channels % 2 != 0)
    check.expected("network.router.virtual_channels", spec.virtual_channels,
                   "an even number, half for requests and half for replies");
  spec.buffer_flits = c.buffer_flits.value_or(8);
  spec.routing_cycles = c.routing_cycles.value_or(1);
  spec.vc_allocation_cycles = c.vc_allocation_cycles.value_or(1);
  spec.switch_allocation_cycles = c.switch_allocation_cycles.value_or(1);
  spec.traversal_cycles = c.traversal_cycles.value_or(1);
  spec.link_cycles = c.link_cycles.value_or(1);
  spec.terminal_cycles = c.terminal_cycles.value_or(1);
  spec.group_flits = c.group_flits.value_or(16);
  return spec;
}

MemoryPortSpec resolve_memory_port(const MemoryPortConfig& c, const RouterSpec& router, Checker& check) {
  MemoryPortSpec spec;
  spec.places = c.places.value_or(0);
  spec.buffer_flits = c.buffer_flits.value_or(router.buffer_flits);
  spec.order = c.order.value_or(TakeOrder::kArrival);
  if (!c.places && (c.buffer_flits || c.order))
    check.problem("network.memory_port.places", "missing: without a limit nothing waits at a memory's port");
  return spec;
}

// Which router every cluster and every channel hangs on.
struct Places {
  std::vector<int> clusters, channels;
};

std::vector<int> spread(int count, int routers) {
  std::vector<int> places;
  for (int i = 0; i < count; ++i) places.push_back(static_cast<int>(std::int64_t{i} * routers / count));
  return places;
}

// `guests` to a router, from router `first` on.
std::vector<int> in_order(int count, int guests, int first) {
  std::vector<int> places;
  for (int i = 0; i < count; ++i) places.push_back(first + i / guests);
  return places;
}

class NetworkResolver {
 public:
  NetworkResolver(const NetworkConfig& config, NetworkSpec& spec, Checker& check)
      : c_(config), spec_(spec), check_(check) {}

  void run() {
    count_routers();
    reject_unused_keys();
    if (size_missing() || !fits()) return;
    Places places = default_places();
    use_list("network.cluster_routers", c_.cluster_routers, clusters_per_router(), places.clusters);
    use_list("network.channel_routers", c_.channel_routers, channels_per_router(), places.channels);
    attach(places);
    link();
    if (spec_.reduction > 0) spec_.attach_adders();
  }

 private:
  bool is_grid() const { return spec_.topology == Topology::kMesh || spec_.topology == Topology::kTorus; }
  bool free_placement() const { return is_grid() || spec_.topology == Topology::kRing; }
  // No routers, or one for all.
  bool is_shared() const { return spec_.topology == Topology::kSimple || spec_.topology == Topology::kCrossbar; }
  int clusters_per_router() { return c_.clusters_per_router.value_or(1); }
  int routers_of_clusters() { return ceil_div(spec_.clusters, clusters_per_router()); }
  int channels_per_router() { return c_.channels_per_router.value_or(1); }

  int side(const char* key, const Opt<int>& written) {
    std::string path = std::string("network.") + key;
    return check_.required(path, written);
  }

  void count_routers() {
    switch (spec_.topology) {
      case Topology::kSimple:
        spec_.routers = 0;
        break;
      case Topology::kCrossbar:
        spec_.routers = 1;
        break;
      case Topology::kSmp:
        spec_.routers = routers_of_clusters() + spec_.channels;
        break;
      case Topology::kNuma:
        spec_.routers = routers_of_clusters();
        break;
      case Topology::kRing:
        spec_.routers = check_.required("network.routers", c_.routers);
        break;
      case Topology::kMesh:
      case Topology::kTorus:
        spec_.mesh_columns = side("columns", c_.columns);
        spec_.routers = spec_.mesh_columns * side("rows", c_.rows);
        break;
    }
  }

  // A key that the topology has no use for is a mistake, not a decoration.
  void reject(bool written, const char* key, bool used, const char* users) {
    if (written && !used) check_.problem(std::string("network.") + key, fmt::format("only topology {} has it", users));
  }
  void reject_unused_keys() {
    reject(c_.columns.has_value(), "columns", is_grid(), "mesh|torus");
    reject(c_.rows.has_value(), "rows", is_grid(), "mesh|torus");
    reject(c_.routers.has_value(), "routers", spec_.topology == Topology::kRing, "ring");
    reject(c_.cluster_routers.has_value(), "cluster_routers", free_placement(), "mesh|torus|ring");
    reject(c_.channel_routers.has_value(), "channel_routers", free_placement(), "mesh|torus|ring");
    reject(c_.clusters_per_router.has_value(), "clusters_per_router", !is_shared(), "smp|numa|mesh|torus|ring");
    reject(c_.channels_per_router.has_value(), "channels_per_router",
           free_placement() || spec_.topology == Topology::kNuma, "numa|mesh|torus|ring");
    const bool has_routers = spec_.topology != Topology::kSimple;
    constexpr const char* kWithRouters = "smp|numa|mesh|torus|ring|crossbar";
    reject(c_.header_bytes.has_value(), "header_bytes", has_routers, kWithRouters);
    reject(spec_.reduction > 0, "reduction", has_routers, kWithRouters);
    reject(c_.port_queue.has_value(), "port_queue", has_routers, kWithRouters);
    reject(c_.memory_port.places.has_value(), "memory_port", has_routers, kWithRouters);
    reject(c_.simple_latency_cycles.has_value(), "simple_latency_cycles", !has_routers, "simple");
  }

  bool size_missing() const {
    if (is_grid()) return !c_.columns || !c_.rows;
    return spec_.topology == Topology::kRing && !c_.routers;
  }

  bool fits() {
    if (is_shared() || spec_.topology == Topology::kSmp) return true;
    std::int64_t seats = std::int64_t{spec_.routers} * channels_per_router();
    if (spec_.channels > seats)
      check_.expected("dram.channels", spec_.channels,
                      fmt::format("at most {}: {} routers with {} channel(s) each (network.channels_per_router)", seats,
                                  spec_.routers, channels_per_router()));
    std::int64_t places = std::int64_t{spec_.routers} * clusters_per_router();
    if (spec_.clusters > places)
      check_.expected("clusters", spec_.clusters,
                      fmt::format("at most {}: {} routers with {} cluster(s) each (network.clusters_per_router)",
                                  places, spec_.routers, clusters_per_router()));
    return spec_.channels <= seats && spec_.clusters <= places;
  }

  Places default_places() {
    switch (spec_.topology) {
      case Topology::kSimple:
        return {};
      case Topology::kCrossbar:
        return {std::vector<int>(spec_.clusters, 0), std::vector<int>(spec_.channels, 0)};
      case Topology::kSmp:
        return {in_order(spec_.clusters, clusters_per_router(), 0), in_order(spec_.channels, 1, routers_of_clusters())};
      case Topology::kNuma:
      case Topology::kMesh:
      case Topology::kTorus:
        return {in_order(spec_.clusters, clusters_per_router(), 0), spread(spec_.channels, spec_.routers)};
      case Topology::kRing:
        return {spread(spec_.clusters, spec_.routers), spread(spec_.channels, spec_.routers)};
    }
    SIM_CHECK(false, "topology {}", static_cast<int>(spec_.topology));
  }

  void use_list(const char* path, const Opt<std::vector<std::int64_t>>& written, int limit, std::vector<int>& places) {
    if (!written || !free_placement()) return;
    if (written->size() != places.size())
      return check_.problem(path, fmt::format("got {} routers, expected {}", written->size(), places.size()));
    std::vector<int> guests(spec_.routers, 0);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::int64_t router = (*written)[i];
      if (router < 0 || router >= spec_.routers)
        return check_.expected(path, router, fmt::format("routers 0 to {}", spec_.routers - 1));
      if (++guests[router] > limit)
        return check_.expected(path, router, fmt::format("every router at most {} time(s)", limit));
      places[i] = static_cast<int>(router);
    }
  }

  void attach(const Places& places) {
    for (int router : places.clusters)
      spec_.terminal_router.insert(spec_.terminal_router.end(), spec_.ports_per_cluster, router);
    spec_.terminal_router.insert(spec_.terminal_router.end(), places.channels.begin(), places.channels.end());
  }

  void link() {
    switch (spec_.topology) {
      case Topology::kSimple:
      case Topology::kCrossbar:
        return;
      case Topology::kSmp:
        return link_smp();
      case Topology::kNuma:
        return link_fully();
      case Topology::kMesh:
        return link_mesh();
      case Topology::kTorus:
        return link_torus();
      case Topology::kRing:
        return link_ring();
    }
  }

  void link_smp() {
    const int clusters = routers_of_clusters();
    for (int from = 0; from < clusters; ++from)
      for (int to = clusters; to < spec_.routers; ++to) {
        spec_.links.push_back({from, to});
        spec_.links.push_back({to, from});
      }
  }

  void link_fully() {
    for (int from = 0; from < spec_.routers; ++from)
      for (int to = 0; to < spec_.routers; ++to)
        if (from != to) spec_.links.push_back({from, to});
  }

  void link_mesh() {
    int columns = spec_.mesh_columns;
    for (int router = 0; router < spec_.routers; ++router) {
      int x = router % columns;
      if (x + 1 < columns) spec_.links.push_back({router, router + 1});
      if (x > 0) spec_.links.push_back({router, router - 1});
      if (router + columns < spec_.routers) spec_.links.push_back({router, router + columns});
      if (router >= columns) spec_.links.push_back({router, router - columns});
    }
  }

  // To the next and the previous of `size` routers `stride` apart, `place` being this one's. Between two routers both
  // directions are the same neighbour: one link is enough.
  void link_round(int router, int place, int size, int stride) {
    const int base = router - place * stride;
    if (size > 1) spec_.links.push_back({router, base + (place + 1) % size * stride});
    if (size > 2) spec_.links.push_back({router, base + (place + size - 1) % size * stride});
  }

  void link_ring() {
    for (int router = 0; router < spec_.routers; ++router) link_round(router, router, spec_.routers, 1);
  }

  void link_torus() {
    const int columns = spec_.mesh_columns, rows = spec_.routers / columns;
    for (int router = 0; router < spec_.routers; ++router) {
      link_round(router, router % columns, columns, 1);
      link_round(router, router / columns, rows, columns);
    }
  }

  const NetworkConfig& c_;
  NetworkSpec& spec_;
  Checker& check_;
};

}  // namespace

NetworkSpec resolve_network(const NetworkConfig& c, const Clock& core_clock, int clusters, int channels,
                            Checker& check) {
  NetworkSpec spec;
  if (!c.topology) check.problem("network.topology", "missing, expected smp|numa|mesh|torus|ring|crossbar|simple");
  spec.topology = c.topology.value_or(spec.topology);
  spec.clock = c.frequency_mhz ? Checker::clock(c.frequency_mhz, 0) : core_clock;
  spec.flit_bytes = c.flit_bytes.value_or(spec.flit_bytes);
  spec.header_bytes = c.header_bytes.value_or(spec.flit_bytes);
  if (spec.header_bytes > kMaxHeaderFlits * spec.flit_bytes)
    check.expected("network.header_bytes", spec.header_bytes,
                   fmt::format("at most {}, {} flits", kMaxHeaderFlits * spec.flit_bytes, kMaxHeaderFlits));
  spec.ports_per_cluster = c.ports_per_cluster.value_or(1);
  spec.request_port = c.request_port.value_or(spec.request_port);
  spec.port_queue = c.port_queue.value_or(0);
  if (spec.port_queue > 0 && spec.request_port != RequestPort::kTurn)
    check.problem("network.port_queue", "needs network.request_port: turn, of ports that any request may take");
  spec.simple_latency_cycles = c.simple_latency_cycles.value_or(1);
  spec.combined_reads = c.combined_reads.value_or(0);
  spec.multicast = c.multicast.value_or(0);
  spec.reduction = c.reduction.value_or(0);
  spec.router = resolve_router(c.router, check);
  spec.memory_port = resolve_memory_port(c.memory_port, spec.router, check);
  if (has_rings(spec.topology) && spec.router.virtual_channels < 4)
    check.expected("network.router.virtual_channels", spec.router.virtual_channels,
                   "4 or more on a ring or torus, two each for requests and replies");
  spec.clusters = clusters;
  spec.channels = channels;
  if (spec.reduction > 0 && spec.multicast == 0)
    check.expected("network.multicast", spec.multicast, "1 or more with network.reduction, whose requests are copied");
  if (spec.memory_port.places > 0 && spec.multicast > 0)
    check.problem("network.memory_port.places", "network.multicast answers several requests at once: only one of both");
  if (c.topology) NetworkResolver(c, spec, check).run();
  return spec;
}

}  // namespace tilewright
