#include "sim/machine/network/network_routes.h"

#include <algorithm>

#include "sim/base/distinct.h"
#include "sim/base/error.h"

namespace tilewright {

NetworkRoutes::NetworkRoutes(const NetworkSpec& spec)
    : spec_(spec), routers_(spec.routers), terminals_(spec.terminals()) {
  SIM_CHECK(static_cast<int>(spec.terminal_router.size()) == terminals_, "{} terminals, routers given for {}",
            terminals_, spec.terminal_router.size());
  if (spec.topology == Topology::kRing) dimensions_[0] = {routers_, 1};
  if (spec.topology == Topology::kTorus)
    dimensions_ = {Dimension{spec.mesh_columns, 1}, Dimension{routers_ / spec.mesh_columns, spec.mesh_columns}};
  number_ports();
  if (spec.topology == Topology::kSmp || spec.topology == Topology::kNuma) measure_distances();
  fill_table();
  check_acyclic();
}

void NetworkRoutes::number_ports() {
  ports_.resize(routers_);
  for (int link = 0; link < static_cast<int>(spec_.links.size()); ++link) {
    RouterPorts &from = ports_[spec_.links[link].from], &to = ports_[spec_.links[link].to];
    link_ports_.push_back(
        {static_cast<std::uint16_t>(from.out_links.size()), static_cast<std::uint16_t>(to.in_links.size())});
    from.out_links.push_back(link);
    to.in_links.push_back(link);
  }
  for (int terminal = 0; terminal < terminals_; ++terminal) {
    RouterPorts& ports = ports_[spec_.terminal_router[terminal]];
    terminal_port_.push_back(static_cast<std::int16_t>(ports.outputs()));
    ports.terminals.push_back(terminal);
  }
}

void NetworkRoutes::fill_table() {
  const int ways = spec_.topology == Topology::kTorus ? 4 : spec_.topology == Topology::kRing ? 2 : 1;
  table_.reserve(static_cast<std::size_t>(ways) * routers_ * routers_);
  for (int way = 0; way < ways; ++way)
    for (int router = 0; router < routers_; ++router) {
      note_direct_ports(router);
      for (int target = 0; target < routers_; ++target)
        table_.push_back(static_cast<std::int16_t>(target == router ? -1 : next_port(router, target, way)));
    }
}

// The only link from `router` to each neighbour; -1 where there are none or several.
void NetworkRoutes::note_direct_ports(int router) {
  constexpr int kNone = -1, kSeveral = -2;
  direct_port_.assign(routers_, kNone);
  const auto& links = ports_[router].out_links;
  for (int port = 0; port < static_cast<int>(links.size()); ++port) {
    int& direct = direct_port_[spec_.links[links[port]].to];
    direct = direct == kNone ? port : kSeveral;
  }
}

int NetworkRoutes::next_port(int router, int target, int way) const {
  switch (spec_.topology) {
    case Topology::kMesh:
      return mesh_port(router, target);
    case Topology::kRing:
    case Topology::kTorus:
      return round_port(router, target, way);
    case Topology::kSmp:
    case Topology::kNuma:
      return shortest_port(router, target);
    case Topology::kCrossbar:
    case Topology::kSimple:
      break;
  }
  SIM_CHECK(false, "a network without links has no routes between routers");
  return 0;
}

int NetworkRoutes::mesh_port(int router, int target) const {
  const int columns = spec_.mesh_columns;
  const int x = router % columns, target_x = target % columns;
  if (x != target_x) return link_port(router, router + (target_x > x ? 1 : -1), false);
  return link_port(router, router + (target > router ? columns : -columns), false);
}

// Towards the neighbour in the first dimension in which the two differ.
int NetworkRoutes::round_port(int router, int target, int way) const {
  for (const Dimension& dimension : dimensions_) {
    const bool down = (way & 1) != 0;
    way >>= 1;
    const int place = dimension.coordinate(router);
    if (place == dimension.coordinate(target)) continue;
    const int next = (place + (down ? dimension.size - 1 : 1)) % dimension.size;
    return link_port(router, router + (next - place) * dimension.stride, down);
  }
  SIM_CHECK(false, "router {} is its own neighbour", router);
  return 0;
}

// The first or last of the links from `router` to its neighbour `target`.
int NetworkRoutes::link_port(int router, int target, bool last) const {
  int found = -1;
  const auto& links = ports_[router].out_links;
  for (int port = 0; port < static_cast<int>(links.size()); ++port)
    if (spec_.links[links[port]].to == target && (found < 0 || last)) found = port;
  if (found < 0)
    throw UserError("network.links", fmt::format("router {} has no link to its neighbour {}", router, target));
  return found;
}

int NetworkRoutes::dimension_of(int link) const {
  if (spec_.topology != Topology::kTorus) return 0;
  const NetworkSpec::Link& ends = spec_.links[link];
  return ends.from / spec_.mesh_columns == ends.to / spec_.mesh_columns ? 0 : 1;
}

void NetworkRoutes::measure_distances() {
  distance_.assign(static_cast<std::size_t>(routers_) * routers_, -1);
  for (int target = 0; target < routers_; ++target) {
    std::vector<int> reached{target};
    distance_[static_cast<std::size_t>(target) * routers_ + target] = 0;
    for (std::size_t next = 0; next < reached.size() && std::ssize(reached) < routers_; ++next)
      for (const int link : ports_[reached[next]].in_links) {
        int& distance = distance_[static_cast<std::size_t>(spec_.links[link].from) * routers_ + target];
        if (distance >= 0) continue;
        distance = distance_[static_cast<std::size_t>(reached[next]) * routers_ + target] + 1;
        reached.push_back(spec_.links[link].from);
      }
  }
}

// Of several links on a shortest way, targets take them in turn.
int NetworkRoutes::shortest_port(int router, int target) const {
  const int distance = distance_[static_cast<std::size_t>(router) * routers_ + target];
  if (distance < 0)
    throw UserError("network.links", fmt::format("router {} cannot be reached from router {}", target, router));
  if (distance == 1 && direct_port_[target] >= 0) return direct_port_[target];
  std::vector<int> choices;
  const auto& links = ports_[router].out_links;
  for (int port = 0; port < static_cast<int>(links.size()); ++port)
    if (distance_[static_cast<std::size_t>(spec_.links[links[port]].to) * routers_ + target] == distance - 1)
      choices.push_back(port);
  return choices[target % choices.size()];
}

bool NetworkRoutes::has_two_ways(int source, int destination) const {
  const int from = spec_.terminal_router[source], to = spec_.terminal_router[destination];
  for (const Dimension& dimension : dimensions_)
    if (2 * std::abs(dimension.coordinate(to) - dimension.coordinate(from)) == dimension.size) return true;
  return false;
}

std::map<RouteChoice, std::vector<int>> NetworkRoutes::ways_to(int source, std::span<const int> destinations) const {
  std::map<RouteChoice, std::vector<int>> ways;
  for (const int destination : destinations) ways[choose(source, destination, 0)].push_back(destination);
  return ways;
}

std::map<int, std::vector<int>> NetworkRoutes::outputs_to(int router, std::span<const int> destinations,
                                                          int way) const {
  std::map<int, std::vector<int>> outputs;
  for (const int destination : destinations) outputs[output(router, destination, way)].push_back(destination);
  return outputs;
}

RouteChoice NetworkRoutes::choose_next(int source, int destination, unsigned& turn) const {
  if (!uses_dateline()) return {};
  const RouteChoice choice = choose(source, destination, turn);
  if (has_two_ways(source, destination)) ++turn;
  return choice;
}

RouteChoice NetworkRoutes::choose(int source, int destination, unsigned turn) const {
  RouteChoice choice;
  const int from = spec_.terminal_router[source], to = spec_.terminal_router[destination];
  for (int d = 0; d < kRouteDimensions; ++d) {
    const Dimension& dimension = dimensions_[d];
    const int begin = dimension.coordinate(from), end = dimension.coordinate(to);
    const int upwards = (end - begin + dimension.size) % dimension.size;
    const bool down = 2 * upwards > dimension.size || (2 * upwards == dimension.size && (turn >> d & 1) != 0);
    choice.way |= static_cast<std::uint8_t>((down ? 1 : 0) << d);
    choice.dateline |= static_cast<std::uint8_t>(((down ? end > begin : end < begin) ? 1 : 0) << d);
  }
  return choice;
}

int NetworkRoutes::routers_passed(int source, int destination) const {
  const int target = spec_.terminal_router[destination];
  const int way = choose(source, destination, 0).way;
  int passed = 1;
  for (int router = spec_.terminal_router[source]; router != target; ++passed) {
    SIM_CHECK(passed <= routers_, "the route from terminal {} to {} does not end", source, destination);
    router = spec_.links[ports_[router].out_links[output(router, destination, way)]].to;
  }
  return passed;
}

int NetworkRoutes::next_link(int router, int target) const {
  return ports_[router].out_links[table_[static_cast<std::size_t>(router) * routers_ + target]];
}

std::vector<bool> NetworkRoutes::routers_of_clusters() const {
  std::vector<bool> carries(routers_, false);
  for (int terminal = 0; terminal < spec_.channel_terminal(0); ++terminal)
    carries[spec_.terminal_router[terminal]] = true;
  return carries;
}

// Pairs of links that follow each other on the way of some packet. Channels never send to each other.
std::vector<std::pair<int, int>> NetworkRoutes::waiting_links() const {
  std::vector<std::pair<int, int>> pairs;
  const std::vector<bool> has_cluster = routers_of_clusters();
  for (int from = 0; from < routers_; ++from)
    for (int target = 0; target < routers_; ++target) {
      if (target == from || (!has_cluster[from] && !has_cluster[target])) continue;
      int link = next_link(from, target);
      while (spec_.links[link].to != target) {
        const int next = next_link(spec_.links[link].to, target);
        pairs.emplace_back(link, next);
        link = next;
      }
    }
  keep_distinct(pairs);
  return pairs;
}

// Buffers of links wait for each other along the routes; a circle of waiting links could stop the network. A mesh with
// XY routing, and rings and tori with a dateline in every dimension have none by construction (Dally and Seitz, 1987);
// others are looked at.
void NetworkRoutes::check_acyclic() const {
  if (distance_.empty()) return;
  const int links = static_cast<int>(spec_.links.size());
  std::vector<std::vector<int>> waits_for(links);
  std::vector<int> waiters(links, 0);
  for (const auto& [link, next] : waiting_links()) {
    waits_for[link].push_back(next);
    ++waiters[next];
  }
  std::vector<int> free;
  for (int link = 0; link < links; ++link)
    if (waiters[link] == 0) free.push_back(link);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (const int next : waits_for[free[i]])
      if (--waiters[next] == 0) free.push_back(next);
  if (static_cast<int>(free.size()) != links)
    throw UserError("network.links",
                    "routes over these links form a circle and could deadlock; use topology ring or mesh");
}

}  // namespace tilewright
