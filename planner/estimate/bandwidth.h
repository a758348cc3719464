// The chip's bandwidths and a core's share of them, bytes per core clock: the planner's only formulas for them.
#pragma once

#include "sim/hw/config/hardware.h"

namespace tilewright {

// What no plan exceeds, for bounds: DRAM, all channels together; their way into the network; into one cluster through
// all of its ports, or out of it.
double dram_peak(const Hardware& hardware);
double injection_peak(const Hardware& hardware);
double cluster_peak(const Hardware& hardware);

// What one of `cores` cores that load at the same time gets: the narrowest of DRAM, its channels' way into the network,
// the ports of a cluster, which its cores share, and the core's own port.
double bandwidth_share(const Hardware& hardware, int cores);

// What one core gets of its cluster's memory when all cores of the cluster use it; its own port without one.
double cluster_memory_share(const Hardware& hardware);

}  // namespace tilewright
