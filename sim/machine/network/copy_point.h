// Where a packet for several terminals becomes several packets: in the buffer of the router at which their ways part.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/containers.h"
#include "sim/machine/network/router.h"

namespace tilewright {

// One input channel of a router. Every copy leaves the buffer by an output of its own as there is room for it; the
// place of a flit is free once all have taken it, and what arrives behind the packet waits until the last copy has
// left. A buffer that holds the packet whole keeps this free of deadlock: no copy waits for flits that another one
// holds up.
struct CopyPoint {
  static constexpr std::uint32_t kNone = ~0u;

  std::uint32_t packet = kNone;       // the one at the front, while it is copied
  std::vector<std::uint32_t> copies;  // of it
  std::vector<int> left;              // groups of each copy that have left
  int inside = 0;                     // groups in the buffer that belong to packets with one way
  Ring<FlitGroup> behind;             // what has arrived and waits

  bool copying() const { return packet != kNone; }
};

}  // namespace tilewright
