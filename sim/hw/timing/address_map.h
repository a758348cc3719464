// Where a DRAM address lives. DRAM addresses are global: region * region_capacity + offset in the region.
#pragma once

#include "sim/hw/config/core_spec.h"
#include "sim/hw/config/dram_spec.h"

namespace tilewright {

struct ChannelAddress {
  int channel;
  Address offset;  // byte inside the channel
};

// Consecutive addresses stay in one channel up to the next multiple of interleave_bytes.
ChannelAddress locate(const DramSpec& dram, Address address);

struct DramCoordinate {
  int pseudo_channel = 0, bank_group = 0, bank = 0;
  Address row = 0;
  int column = 0;  // in bursts
  bool operator==(const DramCoordinate&) const = default;
};

// `offset` inside the channel. Chunks of pseudo_interleave_bytes (interleave_bytes when 0) go to the
// pseudo channels in turn; the mapping's slices then
// split the offset inside the pseudo channel, above the burst.
DramCoordinate coordinate_of(const DramSpec& dram, Address offset);

// Bank of a cluster's memory that serves a line, 0 ... banks - 1. `line`: its address divided by line_bytes.
int bank_of(const ClusterMemorySpec& memory, Address line);

}  // namespace tilewright
