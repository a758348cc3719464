#include "sim/hw/timing/area.h"

namespace tilewright {
namespace {

double kib(Bytes bytes) { return static_cast<double>(bytes) / 1024; }

Bytes buffer_bytes(const Hardware& hw) {
  return hw.sum_over_cores([](const CoreSpec& core) { return core.buffer_a + core.buffer_b + core.accumulator; });
}

Bytes cluster_bytes(const Hardware& hw) {
  Bytes sum = 0;
  hw.for_each_kind([&](const ClusterKind& kind) { sum += kind.memory ? kind.memory->capacity * kind.clusters : 0; });
  return sum;
}

std::int64_t lanes(const Hardware& hw) {
  return hw.sum_over_cores([](const CoreSpec& core) { return std::int64_t{core.vector.lanes}; });
}

}  // namespace

Bytes on_chip_bytes(const Hardware& hardware) { return buffer_bytes(hardware) + cluster_bytes(hardware); }

std::int64_t multiply_adds_per_cycle(const Hardware& hw) {
  return hw.sum_over_cores([](const CoreSpec& core) { return core.matmul.cells(); });
}

double multiply_adds_per_cycle(const Hardware& hw, DataType type) {
  return hw.sum_over_cores([&](const CoreSpec& core) { return core.matmul.macs_per_cycle(type); });
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
