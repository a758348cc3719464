#include "sim/machine/network/network_routes.h"

#include <algorithm>
#include <deque>

#include "sim/base/error.h"

namespace tilewright {

NetworkRoutes::NetworkRoutes(const NetworkSpec& spec)
    : spec_(spec), ring_(spec.topology == Topology::kRing), routers_(spec.routers), terminals_(spec.terminals()) {
  SIM_CHECK(static_cast<int>(spec.terminal_router.size()) == terminals_, "{} terminals, routers given for {}",
            terminals_, spec.terminal_router.size());
  number_ports();
  if (spec.topology == Topology::kSmp || spec.topology == Topology::kNuma) measure_distances();
  fill_tables();
  check_acyclic();
}

void NetworkRoutes::number_ports() {
  ports_.resize(routers_);
  for (int link = 0; link < static_cast<int>(spec_.links.size()); ++link) {
    ports_[spec_.links[link].from].out_links.push_back(link);
    ports_[spec_.links[link].to].in_links.push_back(link);
  }
  for (int terminal = 0; terminal < terminals_; ++terminal)
    ports_[spec_.terminal_router[terminal]].terminals.push_back(terminal);
}

void NetworkRoutes::fill_tables() {
  const int ways = ring_ ? 2 : 1;
  table_.reserve(static_cast<std::size_t>(ways) * routers_ * terminals_);
  for (int way = 0; way < ways; ++way)
    for (int router = 0; router < routers_; ++router)
      for (int terminal = 0; terminal < terminals_; ++terminal) {
        const RouterPorts& ports = ports_[router];
        const int target = spec_.terminal_router[terminal];
        const auto own = std::find(ports.terminals.begin(), ports.terminals.end(), terminal) - ports.terminals.begin();
        const int port =
            target == router ? static_cast<int>(ports.out_links.size() + own) : next_port(router, target, way);
        table_.push_back(static_cast<std::int16_t>(port));
      }
}

int NetworkRoutes::next_port(int router, int target, int way) const {
  switch (spec_.topology) {
    case Topology::kMesh:
      return mesh_port(router, target);
    case Topology::kRing:
      return link_port(router, (router + (way == 0 ? 1 : routers_ - 1)) % routers_, way == 1);
    case Topology::kSmp:
    case Topology::kNuma:
      return shortest_port(router, target);
    case Topology::kSimple:
      break;
  }
  SIM_CHECK(false, "a network without routers has no routes");
  return 0;
}

int NetworkRoutes::mesh_port(int router, int target) const {
  const int columns = spec_.mesh_columns;
  const int x = router % columns, target_x = target % columns;
  if (x != target_x) return link_port(router, router + (target_x > x ? 1 : -1), false);
  return link_port(router, router + (target > router ? columns : -columns), false);
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

void NetworkRoutes::measure_distances() {
  distance_.assign(static_cast<std::size_t>(routers_) * routers_, -1);
  for (int target = 0; target < routers_; ++target) {
    std::deque<int> reached{target};
    distance_[static_cast<std::size_t>(target) * routers_ + target] = 0;
    while (!reached.empty()) {
      const int router = reached.front();
      reached.pop_front();
      for (const int link : ports_[router].in_links) {
        int& distance = distance_[static_cast<std::size_t>(spec_.links[link].from) * routers_ + target];
        if (distance >= 0) continue;
        distance = distance_[static_cast<std::size_t>(router) * routers_ + target] + 1;
        reached.push_back(spec_.links[link].from);
      }
    }
  }
}

// Of several links on a shortest way, targets take them in turn.
int NetworkRoutes::shortest_port(int router, int target) const {
  const int distance = distance_[static_cast<std::size_t>(router) * routers_ + target];
  if (distance < 0)
    throw UserError("network.links", fmt::format("router {} cannot be reached from router {}", target, router));
  std::vector<int> choices;
  const auto& links = ports_[router].out_links;
  for (int port = 0; port < static_cast<int>(links.size()); ++port)
    if (distance_[static_cast<std::size_t>(spec_.links[links[port]].to) * routers_ + target] == distance - 1)
      choices.push_back(port);
  return choices[target % choices.size()];
}

bool NetworkRoutes::has_two_ways(int source, int destination) const {
  if (!ring_) return false;
  const int from = spec_.terminal_router[source], to = spec_.terminal_router[destination];
  return 2 * ((to - from + routers_) % routers_) == routers_;
}

RouteChoice NetworkRoutes::choose(int source, int destination, bool turn) const {
  RouteChoice choice;
  if (!ring_) return choice;
  const int from = spec_.terminal_router[source], to = spec_.terminal_router[destination];
  const int upwards = (to - from + routers_) % routers_;
  const bool down = 2 * upwards > routers_ || (2 * upwards == routers_ && turn);
  choice.way = down ? 1 : 0;
  choice.dateline = (down ? to > from : to < from) ? 1 : 0;
  return choice;
}

int NetworkRoutes::routers_passed(int source, int destination) const {
  const int target = spec_.terminal_router[destination];
  const int way = choose(source, destination, false).way;
  int passed = 1;
  for (int router = spec_.terminal_router[source]; router != target; ++passed) {
    SIM_CHECK(passed <= routers_, "the route from terminal {} to {} does not end", source, destination);
    router = spec_.links[ports_[router].out_links[output(router, destination, way)]].to;
  }
  return passed;
}

// Buffers of links wait for each other along the routes; a circle of waiting links could stop the network. A mesh with
// XY routing and a ring with a dateline have none by construction (Dally and Seitz, 1987), others are looked at.
void NetworkRoutes::check_acyclic() const {
  if (distance_.empty()) return;
  const int links = static_cast<int>(spec_.links.size());
  std::vector<std::vector<int>> waits_for(links);
  std::vector<int> waiters(links, 0);
  for (int link = 0; link < links; ++link) {
    const int router = spec_.links[link].to;
    std::vector<bool> seen(links, false);
    for (int terminal = 0; terminal < terminals_; ++terminal) {
      const int target = spec_.terminal_router[terminal];
      const int from = spec_.links[link].from;
      if (target == router || target == from || ports_[from].out_links[output(from, terminal, 0)] != link) continue;
      const int next = ports_[router].out_links[output(router, terminal, 0)];
      if (seen[next]) continue;
      seen[next] = true;
      waits_for[link].push_back(next);
      ++waiters[next];
    }
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
