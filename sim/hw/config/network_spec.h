// The on-chip network as resolved: routers, who hangs on which, links, and the pipeline of a router.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

// kSimple has no routers: every terminal takes one packet per cycle, fixed latency (the interconnect ONNXim calls
// simple).
enum class Topology { kSmp, kNuma, kMesh, kTorus, kRing, kCrossbar, kSimple };

// Round which a packet could go two ways, so that a dateline keeps it free of deadlock.
constexpr bool has_rings(Topology topology) { return topology == Topology::kRing || topology == Topology::kTorus; }

struct RouterSpec {
  int virtual_channels = 4;  // split evenly between requests and replies
  int buffer_flits = 8;      // per virtual channel and input port
  int routing_cycles = 1, vc_allocation_cycles = 1, switch_allocation_cycles = 1, traversal_cycles = 1;
  int link_cycles = 1;      // router to router
  int terminal_cycles = 1;  // injection and ejection channels
  // Flits of a packet that cross a router as one object at most; 1: flit by flit. They pass at the same speed and leave
  // at the same moment, but no other packet comes between them.
  int group_flits = 1;

  // From a flit's entry to its exit without load.
  int pipeline_cycles() const {
    return routing_cycles + vc_allocation_cycles + switch_allocation_cycles + traversal_cycles;
  }
};

// Which port of its cluster a request takes: that of the channel or core it goes to, or the next one in turn.
enum class RequestPort { kPartner, kTurn };

// Which of the packets that wait in several virtual channels a memory takes first: the one that came first, or that of
// the lowest channel, so that the others starve while it has any.
enum class TakeOrder { kArrival, kLowestChannel };

// The port of a DRAM channel.
struct MemoryPortSpec {
  int places = 0;        // requests that the memory takes before it has answered one of them; 0: no limit
  int buffer_flits = 0;  // per virtual channel, of packets that wait for a place
  TakeOrder order = TakeOrder::kArrival;
};

// Terminals are numbered: cluster ports first (cluster * ports_per_cluster + port), then channels, then the inputs of
// the routers' adders where there are any.
struct NetworkSpec {
  Topology topology = Topology::kSmp;
  Clock clock;
  int flit_bytes = 32;
  int header_bytes = 32;      // of a packet, before its data
  int ports_per_cluster = 1;  // a cluster's cores share these; what belongs to partner c uses port c % ports
  RequestPort request_port = RequestPort::kPartner;
  // kTurn: requests that wait at a port. What exceeds it waits at the cluster, for the first port in turn with room. 0:
  // no limit.
  int port_queue = 0;
  int simple_latency_cycles = 1;  // kSimple only
  int combined_reads = 0;         // reads under way per cluster that its other cores may join; 0: none
  // Reads under way at each channel, core and cluster memory that further readers may join, wherever they are: one
  // access, whose answer the routers copy where the ways to the readers part. 0: none.
  int multicast = 0;
  // Sums that each core may have under way, of what lies in several memories: the routers add the parts where the ways
  // from them meet, each with an adder that takes a flit a cycle from every side. 0: none. Needs multicast, for the
  // requests.
  int reduction = 0;
  RouterSpec router;
  MemoryPortSpec memory_port;

  int routers = 0;
  int mesh_columns = 0;  // kMesh, kTorus: router = x + mesh_columns * y
  struct Link {
    int from, to;
  };
  std::vector<Link> links;           // directed; kMesh, kTorus and kRing: +x, -x, +y, -y of each router
  std::vector<int> terminal_router;  // router of every terminal; empty for kSimple
  // Of each router and past the last: adder inputs before its own, where routers add; else empty.
  std::vector<int> first_adder_input;
  int clusters = 0, channels = 0;

  // One input of an adder for every port that routers have so far.
  void attach_adders() {
    int inputs = 0;
    const std::vector<int> ports = router_ports();
    for (int router = 0; router < routers; ++router) {
      first_adder_input.push_back(inputs);
      terminal_router.insert(terminal_router.end(), ports[router], router);
      inputs += ports[router];
    }
    first_adder_input.push_back(inputs);
  }
  // A packet is at least one flit.
  int flits_for(Bytes payload) const {
    return static_cast<int>(std::max<Bytes>(1, ceil_div<Bytes>(payload + header_bytes, flit_bytes)));
  }
  // Of each router: links that leave it, as many as enter it, and terminals.
  std::vector<int> router_ports() const {
    std::vector<int> ports(static_cast<std::size_t>(routers));
    for (const Link& link : links) ++ports[static_cast<std::size_t>(link.from)];
    for (const int router : terminal_router) ++ports[static_cast<std::size_t>(router)];
    return ports;
  }
  int terminals() const {
    return channel_terminal(channels) + (first_adder_input.empty() ? 0 : first_adder_input.back());
  }
  int cluster_terminal(int cluster, int port) const { return cluster * ports_per_cluster + port; }
  // The port by which a cluster is answered by partner `number`, a channel, core or cluster.
  int port_towards(int cluster, int number) const { return cluster_terminal(cluster, number % ports_per_cluster); }
  int channel_terminal(int channel) const { return clusters * ports_per_cluster + channel; }
  bool is_cluster_terminal(int terminal) const { return terminal < channel_terminal(0); }
  // By which what comes in by input `input` of a router (its links in the order of `links`, then its terminals) gets to
  // the router's adder; by the first the sum leaves.
  int adder_terminal(int router, int input) const {
    return channel_terminal(channels) + first_adder_input[router] + input;
  }
};

}  // namespace tilewright
