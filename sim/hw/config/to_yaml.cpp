#include <fmt/ranges.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/hw/config/hardware.h"
#include "sim/hw/config/hardware_config.h"
#include "sim/hw/config/hardware_fields.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

// Keys of later mechanisms stand in the text only where they change something, so that the fingerprints of chips
// without them remain; of a kind of cluster always, since absent ones are those of the chip.
enum class Keys { kNeeded, kAll };
Opt<int> unless(int usual, int value, Keys keys) {
  return value == usual && keys == Keys::kNeeded ? std::nullopt : Opt<int>(value);
}

MatmulConfig to_config(const MatmulSpec& s, Keys keys) {
  MatmulConfig c{.rows = s.rows,
                 .columns = s.columns,
                 .arrays = s.arrays,
                 .adder_inputs = unless(1, s.adder_inputs, keys),
                 .dataflow = s.dataflow,
                 .overlap = s.overlap,
                 .issue_cycles = s.issue_cycles,
                 .block_cycles_min = s.block_cycles_min,
                 .pack_kernel = s.pack_kernel,
                 .image_granule = s.image_granule,
                 .fp16_elements_per_cycle = unless(0, s.fp16_elements_per_cycle, keys),
                 .block_m = s.block_m,
                 .block_n = s.block_n,
                 .sync_granularity = s.sync_granularity};
  std::copy(s.rate.begin(), s.rate.end(), c.rate.begin());
  return c;
}

VectorConfig to_config(const VectorSpec& s, Keys keys) {
  return {.lanes = s.lanes,
          .issue_cycles = s.issue_cycles,
          .simple_passes = s.simple_passes,
          .transcendental_passes = s.transcendental_passes,
          .divide_passes = s.divide_passes,
          .reduction_cycles = s.reduction_cycles,
          .fp16_load_passes = unless(0, s.fp16_load_passes, keys),
          .fp16_store_passes = unless(0, s.fp16_store_passes, keys)};
}

DmaConfig to_config(const DmaSpec& s) {
  return {.setup_cycles = s.setup_cycles,
          .outstanding_requests = s.outstanding_requests,
          .request_bytes = s.request_bytes,
          .requests_per_cycle = s.requests_per_cycle,
          .buffer_bytes_per_cycle = s.buffer_bytes_per_cycle};
}

ControlConfig to_config(const ControlSpec& s) {
  return {.unit_queue = s.unit_queue,
          .dispatch_per_cycle = s.dispatch_per_cycle,
          .fetch_bytes = s.fetch_bytes,
          .fetch_ahead = s.fetch_ahead,
          .signals = s.signals == SignalWay::kWires ? std::nullopt : Opt<SignalWay>(s.signals),
          .signal_cycles = s.signal_cycles,
          .launch_cycles = s.launch_cycles};
}

// What clusters of a chip may have of their own.
CoreConfig to_config(const CoreSpec& s, Keys keys) {
  CoreConfig c;
  c.buffer_a_kib = s.buffer_a / 1024;
  c.buffer_b_kib = s.buffer_b / 1024;
  c.accumulator_kib = s.accumulator / 1024;
  c.matmul = to_config(s.matmul, keys);
  c.vector = to_config(s.vector, keys);
  c.dma = to_config(s.dma);
  return c;
}

// Of the chip. Where its clusters differ, what all have in common.
CoreConfig chip_core(const Hardware& hw) {
  CoreConfig c = hw.kinds.empty() ? to_config(hw.core, Keys::kNeeded) : CoreConfig{};
  c.frequency_mhz = hw.core_clock.megahertz();
  c.control = to_config(hw.core.control);
  return c;
}

ClusterMemoryConfig to_config(const ClusterMemorySpec& s, Keys keys) {
  return {.present = true,
          .capacity_kib = s.capacity / 1024,
          .line_bytes = s.line_bytes,
          .ways = s.ways,
          .addressed_ways = s.addressed_ways,
          .banks = s.banks,
          .mshrs = s.mshrs,
          .latency_cycles = s.latency_cycles,
          .bank_hash = s.bank_hash || keys == Keys::kAll ? Opt<bool>(s.bank_hash) : std::nullopt,
          .bank_bytes_per_cycle = s.bank_bytes_per_cycle};
}

ClusterKindConfig to_config(const ClusterKind& kind) {
  ClusterKindConfig c{.count = kind.clusters, .core = to_config(kind.core, Keys::kAll)};
  if (kind.memory) c.cluster_memory = to_config(*kind.memory, Keys::kAll);
  if (!kind.memory) c.memory = false;
  return c;
}

RouterConfig to_config(const RouterSpec& s) {
  return {.virtual_channels = s.virtual_channels,
          .buffer_flits = s.buffer_flits,
          .routing_cycles = s.routing_cycles,
          .vc_allocation_cycles = s.vc_allocation_cycles,
          .switch_allocation_cycles = s.switch_allocation_cycles,
          .traversal_cycles = s.traversal_cycles,
          .link_cycles = s.link_cycles,
          .terminal_cycles = s.terminal_cycles,
          .group_flits = s.group_flits};
}

// Only when some router has several, as without the key.
Opt<int> most_guests(const std::vector<std::int64_t>& routers, int count) {
  std::vector<int> guests(count, 0);
  for (std::int64_t router : routers) ++guests[router];
  const int most = *std::max_element(guests.begin(), guests.end());
  return most > 1 ? Opt<int>(most) : std::nullopt;
}

// Only mesh, torus and ring take lists of places; the other topologies make their own.
void describe_places(const NetworkSpec& s, NetworkConfig& c) {
  std::vector<std::int64_t> clusters, channels;
  std::vector<int> guests(s.routers, 0);
  for (int i = 0; i < s.clusters; ++i) clusters.push_back(s.terminal_router[s.cluster_terminal(i, 0)]);
  c.clusters_per_router = most_guests(clusters, s.routers);
  if (s.topology == Topology::kSmp) return;
  for (int i = 0; i < s.channels; ++i) channels.push_back(s.terminal_router[s.channel_terminal(i)]);
  for (std::int64_t router : channels) ++guests[router];
  c.channels_per_router = *std::max_element(guests.begin(), guests.end());
  if (s.topology == Topology::kNuma) return;
  c.cluster_routers = clusters;
  c.channel_routers = channels;
}

NetworkConfig to_config(const NetworkSpec& s) {
  NetworkConfig c;
  c.topology = s.topology;
  c.frequency_mhz = s.clock.megahertz();
  c.flit_bytes = s.flit_bytes;
  if (s.header_bytes != s.flit_bytes) c.header_bytes = s.header_bytes;
  c.ports_per_cluster = s.ports_per_cluster;
  if (s.request_port != RequestPort::kPartner) c.request_port = s.request_port;
  if (s.port_queue > 0) c.port_queue = s.port_queue;
  if (s.memory_port.places > 0) c.memory_port = {s.memory_port.places, s.memory_port.buffer_flits, s.memory_port.order};
  if (s.combined_reads > 0) c.combined_reads = s.combined_reads;
  if (s.multicast > 0) c.multicast = s.multicast;
  if (s.reduction > 0) c.reduction = s.reduction;
  c.router = to_config(s.router);
  switch (s.topology) {
    case Topology::kSimple:
      c.simple_latency_cycles = s.simple_latency_cycles;
      break;
    case Topology::kCrossbar:
      break;
    case Topology::kMesh:
    case Topology::kTorus:
      c.columns = s.mesh_columns;
      c.rows = s.routers / s.mesh_columns;
      describe_places(s, c);
      break;
    case Topology::kRing:
      c.routers = s.routers;
      describe_places(s, c);
      break;
    case Topology::kSmp:
    case Topology::kNuma:
      describe_places(s, c);
      break;
  }
  return c;
}

std::vector<std::string> to_config(const std::vector<AddressSlice>& mapping) {
  static const char* const names[] = {"column", "bank_group", "bank", "row"};
  std::vector<std::string> texts;
  for (const AddressSlice& slice : mapping)
    texts.push_back(fmt::format("{}:{}", names[static_cast<int>(slice.field)], slice.bits));
  return texts;
}

DramConfig to_config(const DramSpec& s) {
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
  if (s.shared_command_bus) c.shared_command_bus = true;
  c.channel_capacity_mib = s.channel_capacity >> 20;
  c.bank_groups = s.bank_groups;
  c.banks_per_group = s.banks_per_group;
  c.row_bytes = s.row_bytes;
  c.burst_bytes = s.burst_bytes;
  c.mapping = to_config(s.mapping);
  for (const DramTimingField& field : kDramTimingFields) c.timing.*field.written = s.timing.*field.resolved;
  c.read_queue = s.read_queue;
  c.write_queue = s.write_queue;
  c.write_high = s.write_high;
  c.write_low = s.write_low;
  c.controller_clocks = s.controller_clocks;
  return c;
}

HardwareConfig to_config(const Hardware& hw) {
  HardwareConfig c;
  c.name = hw.name;
  if (hw.kinds.empty()) c.clusters = hw.clusters;
  for (const ClusterKind& kind : hw.kinds) c.kinds.push_back(to_config(kind));
  c.cores_per_cluster = hw.cores_per_cluster;
  c.core = chip_core(hw);
  if (hw.kinds.empty() && hw.cluster_memory) c.cluster_memory = to_config(*hw.cluster_memory, Keys::kNeeded);
  c.network = to_config(hw.network);
  c.dram = to_config(hw.dram);
  c.energy.static_watts = hw.energy.static_watts;
  std::copy(hw.energy.picojoules.begin(), hw.energy.picojoules.end(), c.energy.picojoules.begin());
  Opt<double>& adding = c.energy.picojoules[static_cast<int>(Event::kNetworkAdd)];
  if (adding == 0) adding.reset();
  const AreaSpec& a = hw.area;
  c.area = {.mm2_per_mac = a.mm2_per_mac,
            .mm2_per_vector_lane = a.mm2_per_vector_lane,
            .mm2_per_buffer_kib = a.mm2_per_buffer_kib,
            .mm2_per_cluster_kib = a.mm2_per_cluster_kib,
            .mm2_per_router = a.mm2_per_router,
            .mm2_per_channel = a.mm2_per_channel,
            .cost_per_mm2 = a.cost_per_mm2,
            .cost_per_channel = a.cost_per_channel};
  return c;
}

// Writes the fields that are present; a section without any is left out.
class FieldWriter {
 public:
  FieldWriter(std::string& out, int depth) : out_(out), indent_(2 * depth, ' '), depth_(depth) {}

  template <typename T>
  void operator()(const std::string& key, const Opt<T>& field) {
    if (field) out_ += fmt::format("{}{}: {}\n", indent_, key, text(*field));
  }
  template <typename T>
  void operator()(const std::string& key, const Opt<T>& field, const Domain&) {
    (*this)(key, field);
  }
  void count_or_kinds(const std::string& key, const Opt<int>& count, const Domain&) { (*this)(key, count); }
  void kinds(const std::string& key, HardwareConfig& config) {
    if (!config.kinds.empty()) out_ += fmt::format("{}{}:\n", indent_, key);
    for (ClusterKindConfig& kind : config.kinds) {
      std::string item;
      FieldWriter writer(item, depth_ + 2);
      fields(writer, kind);
      item[indent_.size() + 2] = '-';
      out_ += item;
    }
  }
  template <typename Section>
  void section(const std::string& key, Section&& config) {
    std::string inside;
    FieldWriter writer(inside, depth_ + 1);
    fields(writer, config);
    if (!inside.empty()) out_ += fmt::format("{}{}:\n{}", indent_, key, inside);
  }

 private:
  template <typename T>
  static std::string text(const T& value) {
    if constexpr (std::is_enum_v<T>)
      return choice_name(value);
    else
      return fmt::format("{}", value);  // doubles: the shortest text that reads back as the same number
  }
  static std::string text(const std::string& value) {
    std::string quoted = "\"";
    for (char c : value) quoted += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
    return quoted + "\"";
  }
  static std::string text(const std::vector<std::int64_t>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }
  static std::string text(const std::vector<std::string>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }

  std::string& out_;
  std::string indent_;
  int depth_;
};

}  // namespace

std::string to_yaml(const Hardware& hardware) {
  HardwareConfig config = to_config(hardware);
  std::string out;
  FieldWriter writer(out, 0);
  fields(writer, config);
  return out;
}

std::uint64_t fingerprint(const Hardware& hardware) {
  Hardware unnamed = hardware;
  unnamed.name.clear();
  unnamed.dram.preset.clear();
  return fnv1a(to_yaml(unnamed));
}

}  // namespace tilewright
