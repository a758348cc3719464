#include "sim/base/cause.h"

namespace tilewright {

const CauseInfo& info_of(Cause cause) {
  static constexpr std::array<CauseInfo, kCauseCount> kInfo{{
      {"compute", "compute", "the matmul unit holds work"},
      {"dram_bandwidth", "DRAM bw", "data wait for the data bus of their DRAM channel"},
      {"dram_latency", "DRAM lat", "data wait for DRAM that is not busy: row, column, controller"},
      {"bank_conflict", "DRAM rows",
       "DRAM closes and opens rows, turns its bus around or refreshes: the bus is unused"},
      {"network", "network", "requests and data are between core and memory"},
      {"cluster_memory", "cluster", "data wait for the banks of the cluster memory"},
      {"dma", "DMA", "the DMA engine sets up, issues requests or passes data into the buffers"},
      {"vector", "vector", "the vector unit works on what comes next"},
      {"serial", "serial", "a transfer began late, as its place in a buffer was still in use"},
      {"other_core", "other core", "another core computes, or a signal is under way"},
      {"dispatch", "dispatch", "the next instruction has not been fetched or handed to its unit"},
      {"posted_writes", "writes", "every core has finished; the last writes leave for DRAM"},
      {"idle", "idle", "the core has finished or has no instructions; others work"},
  }};
  return kInfo[static_cast<int>(cause)];
}

}  // namespace tilewright
