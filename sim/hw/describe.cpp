#include "sim/hw/describe.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/hw/dram_timing_fields.h"

namespace tilewright {
namespace {

MatmulConfig describe(const MatmulSpec& s) {
  MatmulConfig c{s.rows,        s.columns,       s.arrays, s.dataflow, s.overlap, s.issue_cycles,    s.block_cycles_min,
                 s.pack_kernel, s.image_granule, {},       s.block_m,  s.block_n, s.sync_granularity};
  std::copy(s.rate.begin(), s.rate.end(), c.rate.begin());
  return c;
}

CoreConfig describe(const CoreSpec& s, const Clock& clock) {
  CoreConfig c;
  c.frequency_mhz = clock.megahertz();
  c.buffer_a_kib = s.buffer_a / 1024;
  c.buffer_b_kib = s.buffer_b / 1024;
  c.accumulator_kib = s.accumulator / 1024;
  c.matmul = describe(s.matmul);
  const VectorSpec& v = s.vector;
  c.vector = {v.lanes, v.issue_cycles, v.simple_passes, v.transcendental_passes, v.divide_passes, v.reduction_cycles};
  const DauSpec& d = s.dau;
  c.dau = {d.setup_cycles, d.outstanding_requests, d.request_bytes, d.requests_per_cycle, d.buffer_bytes_per_cycle};
  const ControlSpec& k = s.control;
  c.control = {k.unit_queue, k.dispatch_per_cycle, k.fetch_bytes, k.fetch_ahead, k.signal_cycles, k.launch_cycles};
  return c;
}

ClusterMemoryConfig describe(const ClusterMemorySpec& s) {
  return {true,    s.capacity / 1024, s.line_bytes,          s.ways, s.addressed_ways, s.banks,
          s.mshrs, s.latency_cycles,  s.bank_bytes_per_cycle};
}

RouterConfig describe(const RouterSpec& s) {
  return {s.virtual_channels, s.buffer_flits, s.routing_cycles,  s.vc_allocation_cycles, s.switch_allocation_cycles,
          s.traversal_cycles, s.link_cycles,  s.terminal_cycles, s.group_flits};
}

// Only mesh and ring take lists of places; the other topologies make their own.
void describe_places(const NetworkSpec& s, NetworkConfig& c) {
  std::vector<std::int64_t> clusters, channels;
  std::vector<int> guests(s.routers, 0);
  for (int i = 0; i < s.clusters; ++i) clusters.push_back(s.terminal_router[s.cluster_terminal(i, 0)]);
  for (int i = 0; i < s.channels; ++i) channels.push_back(s.terminal_router[s.channel_terminal(i)]);
  for (std::int64_t router : channels) ++guests[router];
  c.channels_per_router = *std::max_element(guests.begin(), guests.end());
  if (s.topology == Topology::kNuma) return;
  c.cluster_routers = clusters;
  c.channel_routers = channels;
}

NetworkConfig describe(const NetworkSpec& s) {
  NetworkConfig c;
  c.topology = s.topology;
  c.frequency_mhz = s.clock.megahertz();
  c.flit_bytes = s.flit_bytes;
  c.ports_per_cluster = s.ports_per_cluster;
  c.router = describe(s.router);
  switch (s.topology) {
    case Topology::kSimple:
      c.simple_latency_cycles = s.simple_latency_cycles;
      break;
    case Topology::kSmp:
      break;
    case Topology::kMesh:
      c.columns = s.mesh_columns;
      c.rows = s.routers / s.mesh_columns;
      describe_places(s, c);
      break;
    case Topology::kRing:
      c.routers = s.routers;
      describe_places(s, c);
      break;
    case Topology::kNuma:
      describe_places(s, c);
      break;
  }
  return c;
}

std::vector<std::string> describe(const std::vector<AddressSlice>& mapping) {
  static const char* const names[] = {"column", "bank_group", "bank", "row"};
  std::vector<std::string> texts;
  for (const AddressSlice& slice : mapping)
    texts.push_back(fmt::format("{}:{}", names[static_cast<int>(slice.field)], slice.bits));
  return texts;
}

DramConfig describe(const DramSpec& s) {
  DramConfig c;
  c.model = s.model;
  c.preset = s.preset;
  c.tck_ps = s.clock.period_ps;
  c.channels = s.channels;
  c.pseudo_channels = s.pseudo_channels;
  c.regions = s.regions;
  c.interleave_bytes = s.interleave_bytes;
  c.pseudo_interleave_bytes = s.pseudo_interleave_bytes;
  c.interleave_hash = s.interleave_hash;
  c.dual_command_bus = s.dual_command_bus;
  c.channel_capacity_mib = s.channel_capacity >> 20;
  c.bank_groups = s.bank_groups;
  c.banks_per_group = s.banks_per_group;
  c.row_bytes = s.row_bytes;
  c.burst_bytes = s.burst_bytes;
  c.mapping = describe(s.mapping);
  for (const DramTimingField& field : kDramTimingFields) c.timing.*field.written = s.timing.*field.resolved;
  c.read_queue = s.read_queue;
  c.write_queue = s.write_queue;
  c.write_high = s.write_high;
  c.write_low = s.write_low;
  c.controller_clocks = s.controller_clocks;
  return c;
}

}  // namespace

HardwareConfig describe(const Hardware& hw) {
  HardwareConfig c;
  c.name = hw.name;
  c.clusters = hw.clusters;
  c.cores_per_cluster = hw.cores_per_cluster;
  c.core = describe(hw.core, hw.core_clock);
  if (hw.cluster_memory) c.cluster_memory = describe(*hw.cluster_memory);
  c.network = describe(hw.network);
  c.dram = describe(hw.dram);
  c.energy.static_watts = hw.energy.static_watts;
  std::copy(hw.energy.picojoules.begin(), hw.energy.picojoules.end(), c.energy.picojoules.begin());
  const AreaSpec& a = hw.area;
  c.area = {a.mm2_per_mac,    a.mm2_per_vector_lane, a.mm2_per_buffer_kib, a.mm2_per_cluster_kib,
            a.mm2_per_router, a.mm2_per_channel,     a.cost_per_mm2,       a.cost_per_channel};
  return c;
}

}  // namespace tilewright
