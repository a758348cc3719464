// Routers, links and terminals on their own calendar of cycles: a kernel activation costs more than a flit's hop, so
// one activation does all routers of a cycle, and cycles without work are skipped.
//
// Zero-load latency of a packet of L flits over h links, from entering the source queue to the last flit taken:
//   2 terminal + 1 + stages + (stages + link) h + (L - 1),  stages = routing + vc + switch + traversal,
// with the defaults 7 + 5h + (L - 1), which BookSim 2 (commit 28f43299) follows on every topology and packet size.
#pragma once

#include <array>

#include "sim/base/containers.h"
#include "sim/machine/network/copy_point.h"
#include "sim/machine/network/cycle_wheel.h"
#include "sim/machine/network/held_packets.h"
#include "sim/machine/network/network_routes.h"
#include "sim/machine/network/network_transport.h"
#include "sim/machine/network/router.h"

namespace tilewright {

class NetworkCore final : public NetworkTransport {
 public:
  NetworkCore(const NetworkSpec& spec, VcSharing sharing);

  void inject(const Packet& packet, Cycles cycle) override;
  int inject_to_all(const Packet& packet, std::span<const int> destinations, Cycles cycle) override;
  std::optional<int> add_destination(int destination, const Packet& waiting, Cycles cycle) override;
  void advance(Cycles cycle) override;
  Cycles next_event() const override { return state_.marks.next_after(state_.now); }
  Cycles next_arrival() const override;
  void reset() override { state_ = initial_; }
  int routers_passed(int source, int destination) const override { return routes_.routers_passed(source, destination); }
  std::string waiting_for() const override;
  int routers() const override { return spec_.routers; }
  int held_groups(int router) const override { return state_.routers[router].buffered_groups(); }
  void add_router_statistics(int router, const std::string& prefix, Statistics& statistics,
                             Cycles elapsed) const override;
  void add_statistics(Statistics& statistics, Cycles elapsed) const override;

  // Flits that crossed each of NetworkSpec::links.
  const std::vector<std::int64_t>& link_flits() const { return state_.link_flits; }

 private:
  static constexpr std::uint32_t kNone = ~0u, kCopied = kNone - 1;
  static constexpr int kMinGroupedBuffer = 8, kLargestGroup = 16;  // flits
  static constexpr int kMaxCopyingPorts = 64;                      // each input can be read by every output
  static constexpr int kMaxCycles = 10000;                         // of one pipeline stage
  static constexpr int kMaxNumber = 65535;                         // of routers and terminals: 16 bits in every event

  struct Flight {  // a packet under way
    Packet packet;
    Cycles injected = 0;
    std::uint32_t next = kNone;                              // in the source's queue, or in the list of free ones
    std::array<std::uint16_t, kRouteDimensions> link_vcs{};  // allowed on links of a dimension
    std::uint16_t end_vcs = 0;                               // allowed at the terminals
    RouteChoice choice;
    std::uint8_t group = 1;  // flits that move together
    // Cycles that its last flit comes behind where its groups end: the most of any router, since gaps that one router
    // leaves between flits have room for the flits of others at the next. Of the router passed last, its own.
    std::uint16_t delay = 0, delay_at_last = 0;
    std::uint16_t last_router = 0;
    std::uint8_t end_vc = 0;  // by which it reaches the memory
    // Where its destinations are, of a packet for several: packet.destination is the first of them. kCopied: its copies
    // go on in its place.
    std::uint32_t destinations = kNone;
  };
  struct Queue {
    std::uint32_t first = kNone, last = kNone;
  };
  struct Source {
    Queue queues[2];   // requests, replies
    int requests = 0;  // in their queue; counted where it is limited
    std::uint32_t current = kNone;
    int left = 0;  // flits of the current packet
    int vc = -1;
    bool blocked = false;
    unsigned turn = 0;  // packets with two ways so far
    Cycles free_at = 0;
    std::vector<std::int16_t> credits;
  };
  // Requests of a cluster for which no port has room (NetworkSpec::port_queue).
  struct Backlog {
    Queue queue;
    int turn = 0;  // port that is tried next
  };
  struct Arrival {
    std::uint16_t router, input;
    std::uint8_t vc;
    FlitGroup group;
  };
  struct Credit {
    std::uint16_t index;  // of the router, or of the terminal
    bool source;
    std::uint8_t vc, flits;
    std::uint16_t output;
  };
  struct Routed {
    std::uint16_t router, input;
    std::uint8_t vc;
    std::uint32_t flight;
  };
  // Where a port leads: the other router's port, or a terminal.
  struct Peer {
    std::uint16_t index = 0, port = 0;
    bool terminal = false;
    std::uint8_t dimension = 0;  // of the link
    int link = -1;
  };
  struct Delays {
    Cycles route, to_router, to_terminal, from_terminal, credit_to_router, credit_to_terminal, terminal_credit;
  };
  struct State {
    Cycles now = -1;
    CycleMarks marks;      // cycles with something to do
    CycleMarks end_marks;  // cycles in which a packet arrives
    CycleWheel<Credit> credits;
    CycleWheel<Arrival> arrivals;
    CycleWheel<Routed> routed;
    CycleWheel<std::uint32_t> ends;
    CycleSets source_wakes, router_wakes, takes;  // `takes`: memories that may take a packet
    std::vector<Router> routers;
    std::vector<Source> sources;
    std::vector<Backlog> backlogs;  // by cluster
    std::vector<HeldPackets> held;  // by memory, if they have places (NetworkSpec::memory_port)
    std::vector<Flight> flights;
    SlotTable<std::vector<int>> destinations;         // of packets for several
    std::vector<std::vector<CopyPoint>> copy_points;  // [router][input channel]; of a network that copies
    std::uint32_t free_flight = kNone;
    std::int64_t under_way = 0;
    std::vector<std::int64_t> link_flits;
    std::vector<std::int64_t> ejected_flits;  // by router: to its terminals
  };

  static const NetworkSpec& checked(const NetworkSpec& spec, VcSharing sharing);
  static Delays delays_of(const RouterSpec& spec);
  static Cycles horizon_of(const NetworkSpec& spec);
  void connect();
  State make_state() const;
  std::uint32_t take_flight();
  std::uint32_t enqueue(const Packet& packet, const RouteChoice& choice, Cycles cycle);
  void wake_source(int terminal, Cycles cycle);
  int group_of(int flits) const;
  void choose_channels(Flight& flight) const;
  void step();
  void take_credits(unsigned slot);
  void take_arrivals(unsigned slot);
  bool buffer(const Arrival& arrival, Cycles routed);
  void take_routed(unsigned slot);
  void need_route(int router, int input, int vc, std::uint32_t flight, Cycles ready);
  void request_output(const Routed& routed);
  void step_router(int index);
  void carry(int index, const Router::Move& move);
  void give_back(int index, int input, int vc, int flits);
  void delay(int index, const Router::Delay& delay);
  void step_source(int terminal);
  bool load_source(Source& source);
  int channel_for(const Source& source, const Flight& flight) const;
  void left_queue(Source& source);
  int port_with_room(int cluster);
  void deal(int cluster, Cycles cycle);
  void send_group(int terminal, Source& source, int flits);
  void append(Queue& queue, std::uint32_t index);
  bool put_off(std::uint32_t index);
  void finish(unsigned slot);
  void deliver(std::uint32_t index);

  // network_memory_ports.cpp: memories that do not take everything at once.
  int memory_at(int terminal) const { return terminal - spec_.channel_terminal(0); }
  HeldPackets* held_at(int terminal) {
    const int memory = memory_at(terminal);
    return memory < 0 || memory >= std::ssize(state_.held) ? nullptr : &state_.held[memory];
  }
  int credits_for(const Router::Move& move, int terminal);
  void answered(int terminal, Cycles cycle);
  bool hold(std::uint32_t index, unsigned slot);
  void may_take(int memory, Cycles cycle);
  void take_at(int memory);

  // network_copies.cpp: packets for several terminals.
  bool copies() const { return spec_.multicast > 0; }
  int channel_of(int input, int vc) const { return input * spec_.router.virtual_channels + vc; }
  int outputs_on_the_ways(int source, std::span<const int> destinations, int way) const;
  bool goes_to(const Flight& flight, int destination) const;
  int lead_also_to(int destination, Flight& flight);
  void set_destinations(Flight& flight, const std::vector<int>& destinations);
  bool parts_at(int router, std::uint32_t index) const;
  bool may_enter(const CopyPoint& point, int router, const FlitGroup& group) const;
  bool arrive(const Arrival& arrival, Cycles routed);
  bool enter(CopyPoint& point, const Arrival& arrival, Cycles routed);
  void begin_copies(CopyPoint& point, int router, std::uint32_t original);
  void left_buffer(int index, const Router::Move& move);
  bool copy_left(CopyPoint& point, int index, const Router::Move& move);
  void end_copies(CopyPoint& point, int last_flits);
  void release(CopyPoint& point, int index, int input, const Router::Move& move);

  unsigned at(Cycles cycle) {
    state_.marks.mark(cycle);
    return state_.marks.slot(cycle);
  }

  NetworkSpec spec_;
  VcSharing sharing_;
  NetworkRoutes routes_;
  Delays delays_;
  std::vector<std::vector<Peer>> upstream_, downstream_;  // [router][port]
  std::vector<Peer> entry_, exit_;  // of every terminal: router, and its port from the terminal and to it
  State initial_, state_;
  std::vector<Router::Move> moves_;
  std::vector<Router::Delay> delays_of_step_;
};

}  // namespace tilewright
