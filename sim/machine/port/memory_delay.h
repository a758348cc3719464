// Where the time of a memory request went, written down by what it passes; the rest of it, up to the answer, was the
// network's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/base/units.h"

namespace tilewright {

// Picoseconds, cut off at 4 ms.
struct MemoryDelay {
  std::uint32_t bus = 0;  // waited in DRAM while the data bus moved other data
  std::uint32_t row = 0;  // waited in DRAM with the bus unused: rows closed and opened before, turn-arounds, refreshes
  std::uint32_t latency = 0;  // what DRAM takes without any wait: its own row, columns and data, controller
  std::uint32_t cluster = 0;  // in the banks of the cluster memory

  static std::uint32_t clipped(Picoseconds time) {
    constexpr Picoseconds kMax = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<Picoseconds>(time, 0, kMax));
  }
  Picoseconds known() const { return Picoseconds{bus} + row + latency + cluster; }
};

}  // namespace tilewright
