// What the network moves, who takes it at the other end, and the network itself: NetworkPort is what the units of the
// chip need of it, NetworkTransport what does it without the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/statistics.h"
#include "sim/base/units.h"
#include "sim/hw/config/network_spec.h"

namespace tilewright {

struct Packet {
  int source = 0, destination = 0;  // terminals
  int flits = 1;                    // at least 1
  bool reply = false;               // requests and replies never wait for each other's buffers
  std::uint16_t op = 0;             // operator the hops are counted for
  std::uint64_t cookie = 0;         // the sender's own mark
};

class PacketReceiver {
 public:
  virtual ~PacketReceiver() = default;
  // The last flit has arrived. May send.
  virtual void packet_arrived(const Packet& packet, Picoseconds now) = 0;
};

// The network as the units of the chip see it, whoever says when its cycles happen.
class NetworkPort {
 public:
  virtual ~NetworkPort() = default;
  // Before the first packet to `terminal`.
  virtual void attach(int terminal, PacketReceiver* receiver) = 0;
  // Waits in a queue without limit at its source terminal.
  virtual void send(const Packet& packet, Picoseconds now) = 0;
  // Once to each of `destinations`, two or more in ascending order: leaves its source once, and the routers copy it
  // where the ways part. A packet of this network's NetworkSpec::multicast; its buffers hold it whole.
  virtual void send_to_all(const Packet& packet, std::span<const int> destinations, Picoseconds now) = 0;
  // One destination more for the packet of this source and cookie that waits in the source's queue for replies: copies
  // that this adds, 0 if it goes there anyway. Nothing when it has begun to leave.
  virtual std::optional<int> also_to(int destination, const Packet& waiting, Picoseconds now) = 0;
  // Of a packet that carries `payload` bytes behind its header.
  virtual int flits_for(Bytes payload) const = 0;
};

// Which virtual channels a packet may use.
enum class VcSharing {
  kSplit,  // requests the lower half, replies the upper half: a reply never waits behind a request
  kAny     // every channel; only for traffic of one kind
};

struct Delivery {
  Packet packet;
  Cycles injected = 0, arrived = 0;  // entered the source's queue; last flit taken by the destination
};

// Packets go in at a cycle and come out at a later one. Two of them exist: routers (NetworkCore) and kSimple
// (NetworkSimple).
class NetworkTransport {
 public:
  virtual ~NetworkTransport() = default;
  // `cycle` is not before any cycle advanced to, and nothing is pending before it. What is injected in a cycle changes
  // no decision of that cycle elsewhere, so the order of different sources within a cycle does not matter.
  virtual void inject(const Packet& packet, Cycles cycle) = 0;
  // As inject(), for each of `destinations` once (NetworkPort::send_to_all()). Returns the outputs of routers that it
  // and its copies leave by.
  virtual int inject_to_all(const Packet& packet, std::span<const int> destinations, Cycles cycle) = 0;
  // NetworkPort::also_to(), when everything before `cycle` is done: outputs that are left by in addition.
  virtual std::optional<int> add_destination(int destination, const Packet& waiting, Cycles cycle) = 0;
  // Does everything due up to and including `cycle` and adds the arrivals to delivered().
  virtual void advance(Cycles cycle) = 0;
  // Next cycle with something to do, or kNeverCycle.
  virtual Cycles next_event() const = 0;
  // No packet arrives before this cycle; kNeverCycle when none is under way. Up to it nobody outside needs to be woken.
  virtual Cycles next_arrival() const = 0;
  // As after construction.
  virtual void reset() = 0;
  // Routers that a packet from `source` to `destination` passes.
  virtual int routers_passed(int source, int destination) const = 0;
  // Empty when no packet is under way.
  virtual std::string waiting_for() const = 0;
  virtual int routers() const = 0;
  // Groups of flits that router `router` holds after the last cycle done.
  virtual int held_groups(int router) const = 0;
  // Figures of one router under "`prefix`.", for a run of `elapsed` cycles.
  virtual void add_router_statistics(int router, const std::string& prefix, Statistics& statistics,
                                     Cycles elapsed) const = 0;
  // Figures of links, for a run of `elapsed` cycles.
  virtual void add_statistics(Statistics& statistics, Cycles elapsed) const = 0;

  // Arrivals since the caller last emptied it, in the order of their cycles.
  std::vector<Delivery>& delivered() { return delivered_; }

 protected:
  std::vector<Delivery> delivered_;
};

std::unique_ptr<NetworkTransport> make_transport(const NetworkSpec& spec, VcSharing sharing);

}  // namespace tilewright
