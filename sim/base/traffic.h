// Bytes between cores and DRAM by how far they go.
#pragma once

#include "sim/base/units.h"

namespace tilewright {

struct MemoryTraffic {
  Bytes local = 0;   // to and from the memory next to the core's cluster
  Bytes remote = 0;  // any other memory
  bool operator==(const MemoryTraffic&) const = default;
};

}  // namespace tilewright
