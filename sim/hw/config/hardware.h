// The hardware, resolved: every default filled, every unit converted, every cross-check passed. Constant for the life
// of a session. Made from a HardwareConfig by resolve() (sim/hw/config/read_hardware.h).
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

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

// Clusters that are alike, on a chip that has others.
struct ClusterKind {
  int clusters = 1;
  CoreSpec core;
  std::optional<ClusterMemorySpec> memory;  // absent: a bus cluster
};

struct Hardware {
  std::string name;
  Clock core_clock;
  int clusters = 1, cores_per_cluster = 1;
  // Of every cluster. Where clusters differ, what each of them has at least: what a plan may count on everywhere.
  CoreSpec core;
  std::optional<ClusterMemorySpec> cluster_memory;  // absent: a bus cluster
  std::vector<ClusterKind> kinds;                   // where clusters differ, in the order of their numbers; else empty
  NetworkSpec network;
  DramSpec dram;
  EnergySpec energy;
  AreaSpec area;

  int cores() const { return clusters * cores_per_cluster; }
  int cluster_of(int core) const { return core / cores_per_cluster; }
  // 0 where clusters do not differ.
  int kind_number(int core) const { return kinds.empty() ? 0 : static_cast<int>(kind_of(cluster_of(core))); }
  const CoreSpec& core_of(int number) const { return kinds.empty() ? core : kinds[kind_of(cluster_of(number))].core; }
  const std::optional<ClusterMemorySpec>& memory_of(int cluster) const {
    return kinds.empty() ? cluster_memory : kinds[kind_of(cluster)].memory;
  }
  // Bytes of a cluster's memory that programs address, as far as plans count on clusters to have them (counting_on()).
  Bytes addressed_in(int cluster) const {
    const std::optional<ClusterMemorySpec>& own = memory_of(cluster);
    if (!cluster_memory || !own) return 0;
    return std::min(cluster_memory->addressed_capacity(), own->addressed_capacity());
  }
  // The same chip when all clusters are counted on to be as those of kind `number`: a plan for cores of that kind
  // alone.
  Hardware counting_on(std::size_t number) const {
    Hardware hardware = *this;
    hardware.core = kinds[number].core;
    hardware.cluster_memory = kinds[number].memory;
    return hardware;
  }
  // `visit(kind)`, the one kind there is where clusters do not differ.
  template <typename Visit>
  void for_each_kind(const Visit& visit) const {
    if (kinds.empty()) return visit(ClusterKind{clusters, core, cluster_memory});
    for (const ClusterKind& kind : kinds) visit(kind);
  }
  // What `per_core` gives for a core's CoreSpec, of all cores.
  template <typename PerCore>
  auto sum_over_cores(const PerCore& per_core) const {
    decltype(per_core(core)) sum{};
    for_each_kind([&](const ClusterKind& kind) { sum += per_core(kind.core) * (kind.clusters * cores_per_cluster); });
    return sum;
  }
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

 private:
  std::size_t kind_of(int cluster) const {
    std::size_t kind = 0;
    while (cluster >= kinds[kind].clusters) cluster -= kinds[kind++].clusters;
    return kind;
  }
};

}  // namespace tilewright
