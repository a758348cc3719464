// The network as queues of packets. Every port of a cluster, channel and link moves one flit a cycle, and every virtual
// channel at the input of a router holds what its buffer has room for: a packet that waits holds up those behind it,
// back to where they come from. Outputs serve the channels in turn. Ways are those of the simulated routers.
//
// Packets move as a whole: the flits of two of them never take turns on a link.
#pragma once

#include <array>
#include <vector>

#include "planner/estimate/queue_model/calendar.h"
#include "planner/estimate/queue_model/queue_channel.h"
#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/containers.h"
#include "sim/hw/config/network_spec.h"
#include "sim/machine/network/network_routes.h"

namespace tilewright {

class QueueRouters final : public QueueTransport, public QueueActor {
 public:
  // Of a topology with routers that copy nothing.
  QueueRouters(const NetworkSpec& spec, Calendar& calendar, QueuePacketClient& client);

  void send(const QueuePacket& packet, Picoseconds time) override;
  Picoseconds send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) override;
  void send_copy(const QueuePacket& packet, int with, Picoseconds start) override;
  std::int64_t hops() const override { return hops_; }

  // At an output.
  void happen(std::uint32_t output, Picoseconds now) override;

 private:
  // Virtual channels that packets of a kind may take: requests or replies, and on links of rings those of one side of
  // the dateline.
  static constexpr int kKinds = 4;
  struct Channels {
    int first = 0, count = 0;
  };
  struct Flight {
    QueuePacket packet;
    RouteChoice choice;
    Picoseconds time = 0;  // at which it is sent, then at which its first flit can leave the router
    int output = 0;        // by which it leaves the router
  };
  struct Input {
    Picoseconds free = 0;
    int router = 0;
    int feeder = 0;  // the output that leads here, or ~terminal
  };
  // The front of a channel.
  struct Waiting {
    Picoseconds from = 0;
    int channel = 0;
    int input = 0, kind = 0;
  };
  // The virtual channel behind an output that can take a packet of a kind first, and from when on.
  struct Way {
    Picoseconds from = kNever;
    int vc = -1;  // -1: not known yet
  };
  struct Output {
    Picoseconds free = 0;
    Picoseconds wake = kNever;     // the event that stands in the calendar
    std::vector<Waiting> waiting;  // by channel
    int served = 0;                // the channel that it served last
    int first_channel = 0;         // where its link leads; unused at a terminal
    int link = kNone;
  };
  struct Source {
    Picoseconds free = 0;                        // of what it has flits for; others pass those that wait for room
    std::array<Picoseconds, 2> behind{};         // the last request, the last reply
    std::array<Ring<std::uint32_t>, 2> flights;  // requests and replies that no channel has room for
    int vc = 0;                                  // that it used last
    int input = 0;
  };
  static constexpr int kNone = -1;

  void number_channels();
  void number_ports();
  int kind_of(const Flight& flight, int link) const;
  bool enter(std::uint32_t index);
  void arrive(std::uint32_t index, int channel);
  static int place_of(const Output& output, int channel);
  void await_front(int channel);
  void wake(int output, Picoseconds time);
  Way way_of(int output, int kind) const;
  int next_in_turn(int output, Picoseconds now, Way& taken);
  void serve(int output, Picoseconds now);
  void cross(int output, const Waiting& from, int vc, Picoseconds now);
  void refill(int channel, Picoseconds now);

  const NetworkSpec& spec_;
  Calendar& calendar_;
  QueuePacketClient& client_;
  const NetworkRoutes routes_;
  const int vc_bits_;  // virtual channel v of an input or output i has the number i << vc_bits_ | v
  const Picoseconds flit_time_, entry_time_, link_time_, exit_time_;  // without load
  const Picoseconds next_time_;   // from the last flit of a packet to the first of the one behind it in its channel
  const Picoseconds owner_time_;  // to the first that another one sends to the channel where it went
  const Picoseconds credit_time_;
  std::array<Channels, kKinds> end_channels_, link_channels_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<int> first_output_;       // by router
  std::vector<Source> sources_;         // by terminal
  std::vector<QueueChannel> channels_;  // by input and virtual channel
  std::vector<Picoseconds> owned_;      // by output and virtual channel: until then a packet enters it
  std::vector<unsigned> turns_;         // by terminal: packets before that could go two ways
  std::int64_t hops_ = 0;
  SlotTable<Flight> flights_;
};

}  // namespace tilewright
