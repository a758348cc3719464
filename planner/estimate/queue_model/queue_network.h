// A network of routers as queues: every port of a cluster, channel and link moves one flit a cycle in the order in
// which packets reach it; routers delay a packet as they do without load, and a virtual channel between two packets.
// Ways are those of the simulated routers.
//
// What a router holds is not limited, so a packet that waits holds up nobody behind it.
#pragma once

#include <array>
#include <vector>

#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/containers.h"
#include "sim/hw/config/network_spec.h"
#include "sim/machine/network/network_routes.h"

namespace tilewright {

class QueueNetwork final : public QueueTransport, public QueueActor {
 public:
  QueueNetwork(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client);

  void send(const QueuePacket& packet, Picoseconds time) override;
  Picoseconds send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) override;
  void send_copy(const QueuePacket& packet, int with, Picoseconds start) override;
  std::int64_t hops() const override { return hops_; }

  void happen(std::uint32_t index, Picoseconds now) override;

 private:
  // Virtual channels that a packet may take: those of requests or replies, and on a ring those of one side of the
  // dateline.
  static constexpr int kLanes = 4;
  struct Port {
    Picoseconds free = 0;
    std::array<Picoseconds, kLanes> lane_free{};
  };
  static constexpr std::uint32_t kNone = ~0u;
  struct Flight {
    QueuePacket packet;
    RouteChoice choice;
    int router = 0;
    Picoseconds time = 0;  // at which its first flit is ready to leave the router
    // Of a packet for several: its destinations, the first of which is packet.destination.
    std::uint32_t destinations = kNone;
  };

  bool is_at_exit(const Flight& flight) const {
    return flight.router == spec_.terminal_router[flight.packet.destination];
  }
  // The first flit passes `port` not before `from` and then; returns when.
  Picoseconds pass(Port& port, Picoseconds from, int flits) const;
  Picoseconds pass(Port& port, Picoseconds from, const QueuePacket& packet, bool is_link, bool crosses) const;
  void choose_way(Flight& flight);
  void cross_link(Flight& flight);
  void forward(std::uint32_t index);
  void leave(std::uint32_t index);
  Picoseconds enter(const QueuePacket& packet, const std::vector<int>& destinations, const RouteChoice& choice,
                    Picoseconds time);
  void set_destinations(Flight& flight, const std::vector<int>& destinations);
  void copy(std::uint32_t index);
  void go_on(std::uint32_t index);

  const NetworkSpec& spec_;
  Calendar& calendar_;
  QueuePacketClient& client_;
  NetworkRoutes routes_;
  Picoseconds entry_time_, link_time_, exit_time_;  // without load
  std::vector<Port> entries_, links_, exits_;       // by terminal, link and terminal
  std::vector<unsigned> turns_;                     // by terminal: packets before that could go two ways
  std::int64_t hops_ = 0;
  SlotTable<Flight> flights_;
  SlotTable<std::vector<int>> destinations_;
};

}  // namespace tilewright
