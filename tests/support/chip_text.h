// A small chip as a hardware file would describe it: what a test needs to say of it, and usual values for the rest.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/hw/config/read_hardware.h"

namespace tilewright {

struct ChipText {
  std::string name;
  std::string clusters = "1";  // a number, or a list of kinds
  int cores_per_cluster = 1;
  std::string matmul = "rows: 8, columns: 8", vector = "lanes: 8", dma = "", core = "";  // keys; more lines of `core`
  std::string cluster_memory = "";                                                       // keys; empty: none
  std::string network = "topology: smp", dram = "preset: HBM2_2000, channels: 2, channel_capacity_mib: 64";
};

// With buffers of 64 KiB and a clock of 1 GHz.
inline Hardware chip_of(const ChipText& c) {
  const std::string memory = c.cluster_memory.empty() ? "" : fmt::format("cluster_memory: {{{}}}\n", c.cluster_memory);
  return load_hardware_text(fmt::format(R"(name: {}
clusters: {}
cores_per_cluster: {}
core:
  frequency_mhz: 1000
  buffer_a_kib: 64
  buffer_b_kib: 64
  accumulator_kib: 64
  matmul: {{{}}}
  vector: {{{}}}
  dma: {{{}}}
{}
{}network: {{{}}}
dram: {{{}}}
)",
                                        c.name, c.clusters, c.cores_per_cluster, c.matmul, c.vector, c.dma, c.core,
                                        memory, c.network, c.dram),
                            c.name);
}

}  // namespace tilewright
