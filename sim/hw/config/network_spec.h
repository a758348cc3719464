// The on-chip network as resolved: routers, who hangs on which, links, and the pipeline of a router.
#pragma once

#include <vector>

#include "sim/base/units.h"

namespace tilewright {

// kSimple has no routers: every terminal takes one packet per cycle, fixed latency (the interconnect ONNXim calls
// simple).
enum class Topology { kSmp, kNuma, kMesh, kRing, kSimple };

struct RouterSpec {
  int virtual_channels = 4;  // split evenly between requests and replies
  int buffer_flits = 8;      // per virtual channel and input port
  int routing_cycles = 1, vc_allocation_cycles = 1, switch_allocation_cycles = 1, traversal_cycles = 1;
  int link_cycles = 1;      // router to router
  int terminal_cycles = 1;  // injection and ejection channels
  // Flits of a packet that cross a router as one object at most; 1: flit by flit. They pass at the same speed and leave
  // at the same moment, but no other packet comes between them.
  int group_flits = 1;
};

// Terminals are numbered: cluster ports first (cluster * ports_per_cluster + port), then channels.
struct NetworkSpec {
  Topology topology = Topology::kSmp;
  Clock clock;
  int flit_bytes = 32;
  int ports_per_cluster = 1;      // a cluster's cores share these; request to channel c uses port c % ports
  int simple_latency_cycles = 1;  // kSimple only
  RouterSpec router;

  int routers = 0;
  int mesh_columns = 0;  // kMesh: router = x + mesh_columns * y
  struct Link {
    int from, to;
  };
  std::vector<Link> links;           // directed; kMesh and kRing in the order +x, -x, +y, -y of each router
  std::vector<int> terminal_router;  // router of every terminal; empty for kSimple
  int clusters = 0, channels = 0;

  int terminals() const { return clusters * ports_per_cluster + channels; }
  int cluster_terminal(int cluster, int port) const { return cluster * ports_per_cluster + port; }
  int channel_terminal(int channel) const { return clusters * ports_per_cluster + channel; }
};

}  // namespace tilewright
