#include "sim/hw/config/read_hardware.h"
#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

// Far above any chip, and far enough from the largest number that no sum over a run becomes infinite.
constexpr double kMaxWatts = 1e6, kMaxPicojoules = 1e12;
// Each is a dozen modules of the simulation kernel.
constexpr int kMaxCores = 1 << 14;

EnergySpec resolve_energy(const EnergyConfig& c, Checker& check) {
  EnergySpec spec;
  spec.static_watts =
      check.at_most("energy.static_watts", check.at_least("energy.static_watts", c.static_watts, 0, 0), kMaxWatts);
  for (int i = 0; i < kEventCount; ++i) {
    std::string path = fmt::format("energy.picojoules.{}", info_of(static_cast<Event>(i)).name);
    spec.picojoules[i] = check.at_most(path, check.at_least(path, c.picojoules[i], 0, 0), kMaxPicojoules);
  }
  return spec;
}

AreaSpec resolve_area(const AreaConfig& c, Checker& check) {
  AreaSpec spec;
  spec.mm2_per_mac = check.at_least("area.mm2_per_mac", c.mm2_per_mac, 0, 0);
  spec.mm2_per_vector_lane = check.at_least("area.mm2_per_vector_lane", c.mm2_per_vector_lane, 0, 0);
  spec.mm2_per_buffer_kib = check.at_least("area.mm2_per_buffer_kib", c.mm2_per_buffer_kib, 0, 0);
  spec.mm2_per_cluster_kib = check.at_least("area.mm2_per_cluster_kib", c.mm2_per_cluster_kib, 0, 0);
  spec.mm2_per_router = check.at_least("area.mm2_per_router", c.mm2_per_router, 0, 0);
  spec.mm2_per_channel = check.at_least("area.mm2_per_channel", c.mm2_per_channel, 0, 0);
  spec.cost_per_mm2 = check.at_least("area.cost_per_mm2", c.cost_per_mm2, 0, 0);
  spec.cost_per_channel = check.at_least("area.cost_per_channel", c.cost_per_channel, 0, 0);
  return spec;
}

void check_bursts(const char* path, Bytes value, const DramSpec& dram, Checker& check) {
  if (value % dram.burst_bytes != 0)
    check.expected(path, value, fmt::format("a multiple of dram.burst_bytes ({})", dram.burst_bytes));
}

void check_request(const char* path, Bytes value, const DramSpec& dram, Checker& check) {
  check_bursts(path, value, dram, check);
  if (value > dram.interleave_bytes)
    check.expected(path, value, fmt::format("at most dram.interleave_bytes ({})", dram.interleave_bytes));
}

void check_regions(const Hardware& hw, Checker& check) {
  if (hw.dram.regions % hw.clusters != 0 && hw.clusters % hw.dram.regions != 0)
    check.expected("dram.regions", hw.dram.regions,
                   fmt::format("a divisor or a multiple of clusters ({})", hw.clusters));
}

}  // namespace

Hardware resolve(const HardwareConfig& c) {
  Checker check(c);
  Hardware hw;
  if (!c.name || c.name->empty()) check.problem("name", "missing, expected a name for reports");
  hw.name = c.name.value_or("");
  if (!c.core.frequency_mhz) check.problem("core.frequency_mhz", "missing, expected 1 to 100000");
  hw.core_clock = check.clock("core.frequency_mhz", c.core.frequency_mhz, 1000);
  hw.clusters = check.count("clusters", c.clusters, 1, 1024);
  hw.cores_per_cluster = check.count("cores_per_cluster", c.cores_per_cluster, 1, 1024);
  if (hw.clusters * hw.cores_per_cluster > kMaxCores)
    check.expected("cores_per_cluster", hw.cores_per_cluster,
                   fmt::format("at most {} with {} clusters", kMaxCores / hw.clusters, hw.clusters));
  hw.core = resolve_core(c.core, check);
  if (c.cluster_memory.present) hw.cluster_memory = resolve_cluster_memory(c.cluster_memory, check);
  hw.dram = resolve_dram(c.dram, check);
  hw.network = resolve_network(c.network, hw.core_clock, hw.clusters, hw.dram.channels, check);
  hw.energy = resolve_energy(c.energy, check);
  hw.area = resolve_area(c.area, check);
  check_request("core.dma.request_bytes", hw.core.dma.request_bytes, hw.dram, check);
  if (hw.cluster_memory) check_request("cluster_memory.line_bytes", hw.cluster_memory->line_bytes, hw.dram, check);
  check_bursts("core.control.fetch_bytes", hw.core.control.fetch_bytes, hw.dram, check);
  check_regions(hw, check);
  check.check();
  return hw;
}

Hardware load_hardware(const std::string& path) { return resolve(read_hardware(path)); }

Hardware load_hardware_text(const std::string& text, const std::string& name) {
  return resolve(read_hardware_text(text, name));
}

}  // namespace tilewright
