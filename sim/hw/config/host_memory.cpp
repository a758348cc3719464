#include "sim/hw/config/host_memory.h"

namespace tilewright {
namespace {

double limit = 4.0 * (1 << 30);

// Measured as the largest resident set of `tilewright modules CHIP` over that of a chip of one core, with GCC 12 on
// x86-64: 4,096 cores 109 MiB; 1,024 channels 35 MiB, with queues of 131,072 requests 7.0 GiB; 10,000 routers of a mesh
// with 16 x 128 flits in each of four to five input ports 1.3 GiB. A cache line is two of cache_array.h's ways.
constexpr double kCore = 28 << 10, kChannel = 32 << 10, kRequest = 56, kLine = 48, kFlit = 24, kPort = 1 << 10;

// Buffers of all inputs of routers; one that copies packets has a buffer of each input for each output.
double buffers_of(const NetworkSpec& network) {
  double buffers = 0;
  for (const double ports : network.router_ports()) buffers += network.multicast > 0 ? ports * ports : ports;
  return buffers;
}

}  // namespace

std::vector<HostMemoryPart> host_memory(const Hardware& hw) {
  const DramSpec& dram = hw.dram;
  const RouterSpec& router = hw.network.router;
  const double controllers = static_cast<double>(dram.channels) * dram.pseudo_channels;
  std::vector<HostMemoryPart> parts{
      {"cores_per_cluster", kCore * hw.cores()},
      {"dram.channels", kChannel * controllers},
      {"dram.read_queue", kRequest * controllers * dram.read_queue},
      {"dram.write_queue", kRequest * controllers * dram.write_queue},
      {"network.router.buffer_flits",
       buffers_of(hw.network) * (kPort + kFlit * router.virtual_channels * router.buffer_flits)}};
  hw.for_each_kind([&](const ClusterKind& kind) {
    if (!kind.memory) return;
    const Bytes lines = kind.memory->cache_capacity() / kind.memory->line_bytes;
    parts.push_back({"cluster_memory.capacity_kib", kLine * kind.clusters * static_cast<double>(lines)});
  });
  return parts;
}

void set_host_memory_limit(double bytes) { limit = bytes; }
double host_memory_limit() { return limit; }

}  // namespace tilewright
