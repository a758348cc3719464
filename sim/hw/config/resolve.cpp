#include <algorithm>

#include "sim/hw/config/host_memory.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

// Each is a dozen modules of the simulation kernel.
constexpr int kMaxCores = 1 << 14;

EnergySpec resolve_energy(const EnergyConfig& c) {
  EnergySpec spec;
  spec.static_watts = c.static_watts.value_or(0);
  for (int i = 0; i < kEventCount; ++i) spec.picojoules[i] = c.picojoules[i].value_or(0);
  return spec;
}

AreaSpec resolve_area(const AreaConfig& c) {
  AreaSpec spec;
  spec.mm2_per_mac = c.mm2_per_mac.value_or(0);
  spec.mm2_per_vector_lane = c.mm2_per_vector_lane.value_or(0);
  spec.mm2_per_buffer_kib = c.mm2_per_buffer_kib.value_or(0);
  spec.mm2_per_cluster_kib = c.mm2_per_cluster_kib.value_or(0);
  spec.mm2_per_router = c.mm2_per_router.value_or(0);
  spec.mm2_per_channel = c.mm2_per_channel.value_or(0);
  spec.cost_per_mm2 = c.cost_per_mm2.value_or(0);
  spec.cost_per_channel = c.cost_per_channel.value_or(0);
  return spec;
}

void check_bursts(const char* path, Bytes value, const DramSpec& dram, Checker& check) {
  if (value % dram.burst_bytes != 0)
    check.expected(path, value, fmt::format("a multiple of dram.burst_bytes ({})", dram.burst_bytes));
}

// Data of the longest packet.
Bytes longest_transfer(const Hardware& hw) {
  Bytes longest = 0;
  hw.for_each_kind([&](const ClusterKind& kind) {
    longest = std::max({longest, kind.core.dma.request_bytes, kind.memory ? kind.memory->line_bytes : Bytes{0}});
  });
  return longest;
}

void check_multicast(const Hardware& hw, Checker& check) {
  const NetworkSpec& network = hw.network;
  if (network.multicast == 0 || network.topology == Topology::kSimple) return;
  const Bytes longest = longest_transfer(hw);
  if (network.router.buffer_flits < network.flits_for(longest))
    check.expected("network.router.buffer_flits", network.router.buffer_flits,
                   fmt::format("{} or more: routers copy what a buffer holds whole (network.multicast), up to {} bytes "
                               "and their header",
                               network.flits_for(longest), longest));
}

// A memory takes a packet that has arrived whole.
void check_memory_port(const Hardware& hw, Checker& check) {
  const NetworkSpec& network = hw.network;
  const MemoryPortSpec& port = network.memory_port;
  const int needed = network.flits_for(longest_transfer(hw)) - network.router.buffer_flits;
  if (port.places > 0 && port.buffer_flits < needed)
    check.expected("network.memory_port.buffer_flits", port.buffer_flits,
                   fmt::format("{} or more, for the longest packet beside network.router.buffer_flits ({})", needed,
                               network.router.buffer_flits));
}

void check_regions(const Hardware& hw, Checker& check) {
  if (hw.dram.regions % hw.clusters != 0 && hw.clusters % hw.dram.regions != 0)
    check.expected("dram.regions", hw.dram.regions,
                   fmt::format("a divisor or a multiple of clusters ({})", hw.clusters));
}

void check_host_memory(const Hardware& hw, Checker& check) {
  constexpr double kGib = 1 << 30;
  const std::vector<HostMemoryPart> parts = host_memory(hw);
  const HostMemoryPart largest = *std::ranges::max_element(parts, {}, &HostMemoryPart::bytes);
  double all = 0;
  for (const HostMemoryPart& part : parts) all += part.bytes;
  if (all > host_memory_limit())
    check.problem(largest.key,
                  fmt::format("simulating this chip takes about {:.1f} GiB of this machine's memory, {:.1f} GiB of it "
                              "for this; allowed are {:.3g} GiB (--memory-limit)",
                              all / kGib, largest.bytes / kGib, host_memory_limit() / kGib));
}

}  // namespace

void check_request(const char* path, Bytes value, const DramSpec& dram, Checker& check) {
  check_bursts(path, value, dram, check);
  if (value > dram.interleave_bytes)
    check.expected(path, value, fmt::format("at most dram.interleave_bytes ({})", dram.interleave_bytes));
}

Hardware resolve(const HardwareConfig& c) {
  Checker check(c);
  Hardware hw;
  if (!c.name || c.name->empty()) check.problem("name", "missing, expected a name for reports");
  hw.name = c.name.value_or("");
  if (!c.core.frequency_mhz) check.missing("core.frequency_mhz");
  hw.core_clock = Checker::clock(c.core.frequency_mhz, 1000);
  hw.dram = resolve_dram(c.dram, check);
  hw.clusters = c.clusters.value_or(1);
  hw.cores_per_cluster = c.cores_per_cluster.value_or(1);
  if (!c.kinds.empty()) resolve_kinds(c, hw.dram, hw, check);
  if (hw.clusters * hw.cores_per_cluster > kMaxCores)
    check.expected("cores_per_cluster", hw.cores_per_cluster,
                   fmt::format("at most {} with {} clusters", kMaxCores / hw.clusters, hw.clusters));
  if (c.kinds.empty()) hw.core = resolve_core(c.core, check);
  if (c.kinds.empty() && c.cluster_memory.present) hw.cluster_memory = resolve_cluster_memory(c.cluster_memory, check);
  hw.network = resolve_network(c.network, hw.core_clock, hw.clusters, hw.dram.channels, check);
  hw.energy = resolve_energy(c.energy);
  hw.area = resolve_area(c.area);
  check_request("core.dma.request_bytes", hw.core.dma.request_bytes, hw.dram, check);
  if (hw.cluster_memory) check_request("cluster_memory.line_bytes", hw.cluster_memory->line_bytes, hw.dram, check);
  check_bursts("core.control.fetch_bytes", hw.core.control.fetch_bytes, hw.dram, check);
  check_multicast(hw, check);
  check_memory_port(hw, check);
  check_regions(hw, check);
  check_host_memory(hw, check);
  check.check();
  return hw;
}

Hardware load_hardware(const std::string& path) { return resolve(read_hardware(path)); }

Hardware load_hardware_text(const std::string& text, const std::string& name) {
  return resolve(read_hardware_text(text, name));
}

}  // namespace tilewright
