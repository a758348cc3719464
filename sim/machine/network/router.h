// One input-queued router with virtual channels, credits and round-robin separable allocators (single-iteration iSLIP,
// as in BookSim 2's iq_router with its default delays). It decides; NetworkCore carries what it decides to the
// neighbours.
//
// Not flits but groups of flits move: a group is one flit for packets that fit a buffer, and several consecutive flits
// of a longer packet, which then hold the crossbar for that many cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/units.h"

namespace tilewright {

struct FlitGroup {
  std::uint32_t packet = 0;  // the owner's number for it
  std::uint8_t flits = 1;
  bool head = false, tail = false;
};

class Router {
 public:
  static constexpr int kMaxPorts = 4096, kMaxChannels = 16, kMaxBufferFlits = 128;

  struct Shape {
    int inputs = 0, outputs = 0;
    int virtual_channels = 4;
    int buffer_flits = 8;            // per virtual channel, here and at whatever the outputs lead to
    bool same_cycle_switch = false;  // a virtual channel won in a cycle can already ask for the switch in that cycle
  };
  // A group that crosses the switch in this cycle.
  struct Move {
    FlitGroup group;
    std::uint16_t input, output;
    std::uint8_t input_vc, output_vc;
    bool uncovers_head = false;     // the next packet of the input virtual channel now needs a route
    std::uint32_t next_packet = 0;  // that packet
  };

  // Flits of others that come between those of a packet which crosses as a group: its last flit is later by as many
  // cycles.
  struct Delay {
    std::uint32_t packet;
    std::uint16_t cycles;
  };

  explicit Router(const Shape& shape);

  // A group has arrived. True when it is the head of a packet at the front of an idle channel: it now needs a route.
  bool accept(int input, int vc, const FlitGroup& group);
  // The route of the packet at the front of (input, vc) is known: from the next step on it asks `output` for one of the
  // virtual channels in the bit set `allowed`.
  void request_output(int input, int vc, int output, std::uint32_t allowed);
  // True when a group that had no room can now go.
  bool return_credits(int output, int vc, int flits);
  // The allocation of one cycle. Appends the moves and the delays; returns the next cycle in which this router has
  // something to decide if nothing arrives before, or kNeverCycle.
  Cycles step(Cycles now, std::vector<Move>& moves, std::vector<Delay>& delays);

  // True when nothing is buffered.
  bool empty() const { return buffered_ == 0; }
  int buffered_groups() const { return buffered_; }

 private:
  struct InputVc {
    std::uint8_t first = 0, size = 0;
    bool active = false;  // owns output_vc
    std::uint8_t output_vc = 0;
    std::uint16_t output = 0;
    std::int32_t accept = 0;  // round robin: id of the output channel preferred next
    std::uint32_t allowed = 0;
    Cycles met = 0;          // Output::busy of the last group that it has delayed
    std::uint8_t ahead = 0;  // flits of the group at the front that come between those of others, and so before it
  };
  struct OutputVc {
    std::int16_t credits = 0;  // below 0 while a group that has set out waits for room
    std::int32_t owner = -1;   // id of the input channel, -1 when free
    std::int32_t grant = 0;    // round robin: id of the input channel preferred next
  };
  // Who comes next behind a round-robin pointer, of those that ask in the cycle being decided.
  struct Nearest {
    std::uint32_t distance = ~0u;  // behind the pointer, wrapped
    std::uint16_t port = 0;
    std::uint8_t vc = 0;
  };
  struct Input {
    Cycles busy = 0;           // a group of several flits holds the crossbar until then
    std::uint16_t accept = 0;  // round robin: output preferred next
    std::uint8_t offset = 0;   // round robin: channel preferred next
    Nearest granted;           // output, and the channel it granted
  };
  struct Output {
    Cycles busy = 0;
    std::uint32_t free_vcs = 0;
    std::uint16_t grant = 0;   // round robin: input preferred next
    std::uint16_t askers = 0;  // input channels that want one of its channels, in the cycle being decided
    std::uint8_t flits = 0;    // of the group that crosses, without those that went between others' before
    std::uint32_t packet = 0;  // that it belongs to
    Nearest asked;             // input, and its channel
  };
  struct Waiter {
    int id;  // of the input channel
    int output;
    std::uint32_t candidates, granted;
  };

  // A channel of a port has the number port * 2^n + vc.
  int id(int port, int vc) const { return port << vc_bits_ | vc; }
  int port_of(int id) const { return id >> vc_bits_; }
  int vc_of(int id) const { return id & ((1 << vc_bits_) - 1); }
  FlitGroup& group_at(int id, int position) { return fifo_[id * fifo_size_ + (position & (fifo_size_ - 1))]; }
  void refresh(int channel);
  bool allocate_vc();
  bool allocate_vcs();
  void gather_waiters();
  void match_output(int output);
  void match_one(const Waiter& waiter, std::uint32_t granted);
  void own_granted_vcs();
  void cross_alone(Cycles now, std::vector<Move>& moves);
  void take_turns(int input, int output);
  void request_switch(Cycles now);
  void ask(int channel, int output);
  void grant_switch();
  void accept_switch(Cycles now, std::vector<Move>& moves);
  void cross(Cycles now, int input, int vc, int output, std::vector<Move>& moves);
  void delay_crossing(Cycles now, std::vector<Delay>& delays);
  Cycles next_wake(Cycles now) const;

  Shape shape_;
  int fifo_size_, vc_bits_;
  int buffered_ = 0;

  BitSet waiting_;                  // input channels with a route, without an output channel
  BitSet sendable_;                 // input channels that own an output channel, hold a group and have credits for it
  std::vector<InputVc> input_vcs_;  // by id(input, vc)
  std::vector<FlitGroup> fifo_;     // fifo_size_ per input channel
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<OutputVc> output_vcs_;  // by id(output, vc)

  // Of the cycle being decided.
  std::vector<Waiter> waiters_;
  std::vector<std::int32_t> winners_;         // input channels that got an output channel
  std::vector<std::uint16_t> contested_;      // outputs that several waiters want
  std::vector<std::uint16_t> asked_outputs_;  // in the order of the input channels
  BitSet granted_inputs_;
  Cycles wake_ = kNeverCycle;
  Cycles busy_ = 0;  // latest of the outputs'
};

}  // namespace tilewright
