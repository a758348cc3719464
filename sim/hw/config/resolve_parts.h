// The sections of resolve(). Each reports its problems to the checker and returns values that later parts can use.
#pragma once

#include "sim/hw/config/checker.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

CoreSpec resolve_core(const CoreConfig& config, Checker& checker);
ClusterMemorySpec resolve_cluster_memory(const ClusterMemoryConfig& config, Checker& checker);
DramSpec resolve_dram(const DramConfig& config, Checker& checker);
// Needs the counts of clusters and channels.
NetworkSpec resolve_network(const NetworkConfig& config, const Clock& core_clock, int clusters, int channels,
                            Checker& checker);

}  // namespace tilewright
