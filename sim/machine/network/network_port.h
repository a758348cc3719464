// What the network moves, who takes it at the other end, and what the units of the chip need of their network, whoever
// says when its cycles happen.
#pragma once

#include <cstdint>

#include "sim/base/units.h"

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

class NetworkPort {
 public:
  virtual ~NetworkPort() = default;
  // Before the first packet to `terminal`.
  virtual void attach(int terminal, PacketReceiver* receiver) = 0;
  // Waits in a queue without limit at its source terminal.
  virtual void send(const Packet& packet, Picoseconds now) = 0;
  // A control packet is one flit; data follow one head flit.
  virtual int flits_for(Bytes payload) const = 0;
};

}  // namespace tilewright
