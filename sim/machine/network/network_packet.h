// What the network moves: one packet between two terminals, and who takes it at the other end.
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

}  // namespace tilewright
