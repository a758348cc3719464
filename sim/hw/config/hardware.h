// The hardware, resolved: every default filled, every unit converted, every cross-check passed. Constant for the life
// of a session. Made from a HardwareConfig by resolve() (sim/hw/config/read_hardware.h).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "sim/base/event.h"
#include "sim/hw/config/core_spec.h"
#include "sim/hw/config/dram_spec.h"
#include "sim/hw/config/network_spec.h"

namespace tilewright {

struct EnergySpec {
  std::array<double, kEventCount> picojoules{};  // per counted event
  double static_watts = 0;                       // whole chip
};

// Per-component figures for exploration; absent components count nothing.
struct AreaSpec {
  double mm2_per_mac = 0, mm2_per_vector_lane = 0, mm2_per_buffer_kib = 0, mm2_per_cluster_kib = 0;
  double mm2_per_router = 0, mm2_per_channel = 0;
  double cost_per_mm2 = 0, cost_per_channel = 0;
};

struct Hardware {
  std::string name;
  Clock core_clock;
  int clusters = 1, cores_per_cluster = 1;
  CoreSpec core;
  std::optional<ClusterMemorySpec> cluster_memory;  // absent: a bus cluster
  NetworkSpec network;
  DramSpec dram;
  EnergySpec energy;
  AreaSpec area;

  int cores() const { return clusters * cores_per_cluster; }
  int cluster_of(int core) const { return core / cores_per_cluster; }
  // Whether the cores of a cluster share a cache of DRAM.
  bool has_cluster_cache() const { return cluster_memory && cluster_memory->cache_capacity() > 0; }
  // Whether what one core of a cluster reads may serve the others: by that cache, or while it is under way.
  bool shares_loads() const { return has_cluster_cache() || network.combined_reads > 0 || network.multicast > 0; }
  // Cores of one group may be served by one read of memory: of the chip, of a cluster, or each by itself.
  int load_group(int core) const {
    if (network.multicast > 0) return 0;
    return shares_loads() ? cluster_of(core) : core;
  }
  // The memory region next to a cluster (any region on a chip whose regions are equally far).
  int local_region(int cluster) const { return cluster * dram.regions / clusters; }
  // Bytes per core clock of all channels together.
  double dram_bytes_per_cycle() const {
    return dram.peak_bytes_per_second() * static_cast<double>(core_clock.period_ps) * 1e-12;
  }
  // Bytes per core clock through all ports of one cluster, each way.
  double ports_bytes_per_cycle() const {
    return network.flit_bytes * static_cast<double>(core_clock.period_ps) /
           static_cast<double>(network.clock.period_ps) * network.ports_per_cluster;
  }
};

}  // namespace tilewright
