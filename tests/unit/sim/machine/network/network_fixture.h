// Networks small enough to reason about.
#pragma once

#include "sim/hw/config/network_spec.h"

namespace tilewright {

// One terminal per router, all counted as cluster ports.
inline NetworkSpec mesh(int columns, int rows) {
  NetworkSpec spec;
  spec.topology = Topology::kMesh;
  spec.routers = spec.clusters = columns * rows;
  spec.mesh_columns = columns;
  for (int router = 0; router < spec.routers; ++router) {
    const int x = router % columns, y = router / columns;
    if (x + 1 < columns) spec.links.push_back({router, router + 1});
    if (x > 0) spec.links.push_back({router, router - 1});
    if (y + 1 < rows) spec.links.push_back({router, router + columns});
    if (y > 0) spec.links.push_back({router, router - columns});
    spec.terminal_router.push_back(router);
  }
  return spec;
}

inline NetworkSpec ring(int routers, int link_cycles) {
  NetworkSpec spec;
  spec.topology = Topology::kRing;
  spec.routers = spec.clusters = routers;
  spec.router.link_cycles = link_cycles;
  for (int router = 0; router < routers; ++router) {
    spec.links.push_back({router, (router + 1) % routers});
    spec.links.push_back({router, (router + routers - 1) % routers});
    spec.terminal_router.push_back(router);
  }
  return spec;
}

// One terminal per router.
inline NetworkSpec torus(int columns, int rows) {
  NetworkSpec spec;
  spec.topology = Topology::kTorus;
  spec.routers = spec.clusters = columns * rows;
  spec.mesh_columns = columns;
  for (int router = 0; router < spec.routers; ++router) {
    const int x = router % columns, y = router / columns;
    const auto link = [&](int to_x, int to_y) { spec.links.push_back({router, to_x + columns * to_y}); };
    if (columns > 1) link((x + 1) % columns, y);
    if (columns > 2) link((x + columns - 1) % columns, y);
    if (rows > 1) link(x, (y + 1) % rows);
    if (rows > 2) link(x, (y + rows - 1) % rows);
    spec.terminal_router.push_back(router);
  }
  return spec;
}

// All terminals on one router.
inline NetworkSpec crossbar(int clusters, int channels) {
  NetworkSpec spec;
  spec.topology = Topology::kCrossbar;
  spec.routers = 1;
  spec.clusters = clusters;
  spec.channels = channels;
  spec.terminal_router.assign(clusters + channels, 0);
  return spec;
}

// `clusters` terminals on router 0, `channels` on router 1.
inline NetworkSpec smp(int clusters, int channels) {
  NetworkSpec spec;
  spec.topology = Topology::kSmp;
  spec.routers = 2;
  spec.links = {{0, 1}, {1, 0}};
  spec.clusters = clusters;
  spec.channels = channels;
  spec.terminal_router.assign(clusters, 0);
  spec.terminal_router.resize(clusters + channels, 1);
  return spec;
}

inline NetworkSpec simple(int terminals, int latency) {
  NetworkSpec spec;
  spec.topology = Topology::kSimple;
  spec.clusters = terminals;
  spec.simple_latency_cycles = latency;
  return spec;
}

}  // namespace tilewright
