// The chip's bandwidths, a core's share of them in bytes per core clock, and what DRAM gives of its own to short runs:
// the planner's only formulas for them.
#pragma once

#include "planner/constants/constants.h"
#include "sim/hw/config/dram_spec.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// What no plan exceeds, for bounds: DRAM, all channels together; their way into the network; into one cluster through
// all of its ports, or out of it.
double dram_peak(const Hardware& hardware);
double injection_peak(const Hardware& hardware);
double cluster_peak(const Hardware& hardware);
// Between one cluster and the memories of all others, each way: their packets share a link of its router.
double peer_peak(const Hardware& hardware);

// What one of `cores` cores that load at the same time gets: the narrowest of DRAM, its channels' way into the network,
// the ports of a cluster, which its cores share, and the core's own port.
double bandwidth_share(const Hardware& hardware, int cores);
// What each operand of a product gets of it when all cores load: both share the way in.
inline double operand_share(const Hardware& hardware) { return bandwidth_share(hardware, hardware.cores()) / 2; }

// What one core gets of its cluster's memory when all cores of the cluster use it; its own port without one.
double cluster_memory_share(const Hardware& hardware);

// What share of its bandwidth DRAM gives to boxes loaded in short runs, for predictions.
//
// Of the channels that runs of `run` bytes visit: every visit costs the time of constants().row_visit_bursts for the
// row it opens.
double visit_efficiency(const DramSpec& dram, Bytes run);

// Of the bursts that runs touch, which move in whole, the share that is wanted: runs of `run` bytes beginning `run` or
// `pitch` bytes apart begin anywhere in a burst that these lengths allow.
double burst_share(const DramSpec& dram, Bytes run, Bytes pitch);

// Share of a region's channels in which runs lie whose beginnings are `pitch` bytes apart. Without a hash, those of a
// pitch that is a multiple of all channels' interleave chunks lie in few channels: 256 bytes of every 2 KiB in one of
// eight.
double channel_share(const DramSpec& dram, Bytes run, Bytes pitch);

// Of the channels that runs lie in, and of all channels.
inline double share_of_visited(const DramSpec& dram, Bytes run, Bytes pitch) {
  return visit_efficiency(dram, run) * burst_share(dram, run, pitch);
}
inline double run_efficiency(const DramSpec& dram, Bytes run, Bytes pitch) {
  return share_of_visited(dram, run, pitch) * channel_share(dram, run, pitch);
}

}  // namespace tilewright
