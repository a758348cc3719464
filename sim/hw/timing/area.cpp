#include "sim/hw/timing/area.h"

namespace tilewright {
namespace {

double kib(Bytes bytes) { return static_cast<double>(bytes) / 1024; }

// What one cluster has, of all of them.
template <typename PerCluster>
std::int64_t sum_over_clusters(const Hardware& hw, const PerCluster& per_cluster) {
  std::int64_t sum = 0;
  hw.for_each_kind([&](const ClusterKind& kind) { sum += kind.clusters * std::int64_t{per_cluster(kind)}; });
  return sum;
}
template <typename PerCore>
std::int64_t sum_over_cores(const Hardware& hw, const PerCore& per_core) {
  return hw.cores_per_cluster * sum_over_clusters(hw, [&](const ClusterKind& kind) { return per_core(kind.core); });
}

Bytes buffer_bytes(const Hardware& hw) {
  return sum_over_cores(hw, [](const CoreSpec& core) { return core.buffer_a + core.buffer_b + core.accumulator; });
}

Bytes cluster_bytes(const Hardware& hw) {
  return sum_over_clusters(hw, [](const ClusterKind& kind) { return kind.memory ? kind.memory->capacity : 0; });
}

std::int64_t lanes(const Hardware& hw) {
  return sum_over_cores(hw, [](const CoreSpec& core) { return core.vector.lanes; });
}

}  // namespace

Bytes on_chip_bytes(const Hardware& hardware) { return buffer_bytes(hardware) + cluster_bytes(hardware); }

std::int64_t multiply_adds_per_cycle(const Hardware& hw) {
  return sum_over_cores(hw, [](const CoreSpec& core) { return core.matmul.cells(); });
}

double multiply_adds_per_cycle(const Hardware& hw, DataType type) {
  double sum = 0;
  hw.for_each_kind([&](const ClusterKind& kind) {
    const MatmulSpec& spec = kind.core.matmul;
    sum += static_cast<double>(kind.clusters * hw.cores_per_cluster * spec.cells()) * spec.rate[static_cast<int>(type)];
  });
  return sum;
}

std::vector<ComponentArea> areas_of(const Hardware& hw) {
  const AreaSpec& a = hw.area;
  return {{"matmul", a.mm2_per_mac * static_cast<double>(multiply_adds_per_cycle(hw))},
          {"vector", a.mm2_per_vector_lane * static_cast<double>(lanes(hw))},
          {"buffers", a.mm2_per_buffer_kib * kib(buffer_bytes(hw))},
          {"cluster", a.mm2_per_cluster_kib * kib(cluster_bytes(hw))},
          {"network", a.mm2_per_router * hw.network.routers},
          {"dram", a.mm2_per_channel * hw.dram.channels}};
}

double area_mm2(const Hardware& hardware) {
  double sum = 0;
  for (const ComponentArea& part : areas_of(hardware)) sum += part.mm2;
  return sum;
}

double cost_of(const Hardware& hw) {
  return hw.area.cost_per_mm2 * area_mm2(hw) + hw.area.cost_per_channel * hw.dram.channels;
}

}  // namespace tilewright
