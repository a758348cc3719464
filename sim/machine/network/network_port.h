// What the units of the chip need of its network, whoever says when its cycles happen.
#pragma once

#include "sim/base/units.h"
#include "sim/machine/network/network_packet.h"

namespace tilewright {

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
