// The network without routers that ONNXim calls simple: queues of any length between every source and every
// destination; a destination takes one packet of any size per cycle, from its sources in turn, and it arrives a fixed
// latency later.
#pragma once

#include "sim/machine/network/cycle_wheel.h"
#include "sim/machine/network/network_transport.h"

namespace tilewright {

class NetworkSimple final : public NetworkTransport {
 public:
  explicit NetworkSimple(const NetworkSpec& spec);

  void inject(const Packet& packet, Cycles cycle) override;
  int inject_to_all(const Packet& packet, std::span<const int> destinations, Cycles cycle) override;
  std::optional<int> add_destination(int, const Packet&, Cycles) override { return std::nullopt; }
  void advance(Cycles cycle) override;
  Cycles next_event() const override { return state_.marks.next_after(state_.now); }
  Cycles next_arrival() const override { return state_.under_way == 0 ? kNeverCycle : next_event(); }
  void reset() override { state_ = initial_; }
  int routers_passed(int, int) const override { return 1; }
  std::string waiting_for() const override;
  int routers() const override { return 0; }
  int held_groups(int) const override { return 0; }
  void add_router_statistics(int, const std::string&, Statistics&, Cycles) const override {}
  void add_statistics(Statistics&, Cycles) const override {}

 private:
  static constexpr std::uint32_t kNone = ~0u;

  struct Entry {
    Packet packet;
    Cycles injected = 0;
    std::uint32_t next = kNone;
  };
  struct Queue {
    std::uint32_t first = kNone, last = kNone;
  };
  struct Destination {
    std::vector<Queue> from;  // by source
    int waiting = 0;          // packets in all queues
    int turn = 0;             // source that is looked at first
  };
  struct State {
    Cycles now = -1;
    CycleMarks marks;
    CycleSets takes;
    CycleWheel<std::uint32_t> arrivals;
    std::vector<Destination> destinations;
    std::vector<Entry> entries;
    std::uint32_t free_entry = kNone;
    std::int64_t under_way = 0;
  };

  State make_state() const;
  unsigned at(Cycles cycle) {
    state_.marks.mark(cycle);
    return state_.marks.slot(cycle);
  }
  void take(int destination);
  void step();

  NetworkSpec spec_;
  State initial_, state_;
};

}  // namespace tilewright
