// What cores of a chip reach through the network besides DRAM: buffers of cores, addressed memories of clusters.
#pragma once

#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

// Who answers for them, by number; null for a cluster without memory.
struct PeerMemories {
  std::vector<MemoryPath*> cores, clusters;
  MemoryPath* of(Space space, int owner) const {
    return (space == Space::kCluster ? clusters : cores).at(static_cast<std::size_t>(owner));
  }
};

// The terminal of the network by which memory `space` of `owner` answers core `reader`.
inline int terminal_of(const Hardware& hardware, Space space, int owner, int reader) {
  return hardware.network.port_towards(space == Space::kCluster ? owner : hardware.cluster_of(owner), reader);
}

}  // namespace tilewright
