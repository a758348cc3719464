// One map of addresses for all memories of a chip, so that a request says by its address whom it is for: DRAM from 0,
// then the addressed memory of every cluster, then the buffers of every core. Each has a window of a power of two.
#pragma once

#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"

namespace tilewright {

class ChipMap {
 public:
  explicit ChipMap(const Hardware& hardware);

  // A byte of the addressed memory of a cluster, or of a buffer of a core.
  struct Place {
    Space space = Space::kCluster;
    int owner = 0;
    Address offset = 0;
  };

  bool is_dram(Address address) const { return address < dram_; }
  // Where a memory other than DRAM begins.
  Address base_of(Space space, int owner) const;
  // InternalError for an address of DRAM, or past the last buffer.
  Place place_of(Address address) const;

 private:
  static constexpr int kBuffers = kSpaceCount - static_cast<int>(Space::kBufferA);

  Bytes dram_ = 0, cluster_window_ = 1, buffer_window_ = 1;
  Address clusters_ = 0, cores_ = 0, end_ = 0;  // where the windows begin, and past the last
};

}  // namespace tilewright
