// The keys of every section of a hardware file, listed once, numbers with the least and the most that they may be: the
// reader, the writer and the documentation's test visit them. visit(key, field) is called for a word or a list,
// visit(key, field, domain) for a number, visit.section(key, section) for a mapping; `clusters`, a number or a list of
// mappings, is visited as either. The most of each is far above any chip, and so small that products of the values
// neither overflow nor outgrow what can be built.
#pragma once

#include "sim/base/yaml_reader.h"
#include "sim/hw/config/hardware_config.h"

namespace tilewright {

inline Choices<Dataflow> choices(Dataflow) {
  return {{"output_stationary", Dataflow::kOutputStationary}, {"weight_stationary", Dataflow::kWeightStationary}};
}
inline Choices<TileOverlap> choices(TileOverlap) {
  return {{"none", TileOverlap::kNone}, {"weights", TileOverlap::kWeights}, {"full", TileOverlap::kFull}};
}
inline Choices<SignalWay> choices(SignalWay) {
  return {{"wires", SignalWay::kWires}, {"packets", SignalWay::kPackets}};
}
inline Choices<RequestPort> choices(RequestPort) {
  return {{"partner", RequestPort::kPartner}, {"turn", RequestPort::kTurn}};
}
inline Choices<TakeOrder> choices(TakeOrder) {
  return {{"arrival", TakeOrder::kArrival}, {"lowest_channel", TakeOrder::kLowestChannel}};
}
inline Choices<DramModel> choices(DramModel) { return {{"banked", DramModel::kBanked}, {"tlm", DramModel::kTlm}}; }
inline Choices<Topology> choices(Topology) {
  return {{"smp", Topology::kSmp},      {"numa", Topology::kNuma}, {"mesh", Topology::kMesh},
          {"torus", Topology::kTorus},  {"ring", Topology::kRing}, {"crossbar", Topology::kCrossbar},
          {"simple", Topology::kSimple}};
}

template <typename Enum>
std::string choice_name(Enum value) {
  for (const auto& [name, meaning] : choices(value))
    if (meaning == value) return std::string(name);
  SIM_CHECK(false, "value {} has no name", static_cast<int>(value));
}

// Inclusive.
struct Domain {
  double least, most;
  bool holds(double value) const { return value >= least && value <= most; }
};
inline std::string to_text(const Domain& domain) { return fmt::format("{} to {}", domain.least, domain.most); }

inline constexpr double kManyCycles = 1e6, kMiB = 1 << 20;

// The sub-mappings whose keys are the names of data types and of events.
struct RateFields {
  std::array<Opt<double>, kDataTypeCount>& rate;
};
struct EventFields {
  std::array<Opt<double>, kEventCount>& picojoules;
};

// clang-format off
template <typename V> void fields(V& visit, RateFields c) {
  for (int i = 0; i < kDataTypeCount; ++i) visit(std::string(name_of(static_cast<DataType>(i))), c.rate[i], {0, 64});
}

template <typename V> void fields(V& visit, EventFields c) {
  for (int i = 0; i < kEventCount; ++i) visit(std::string(info_of(static_cast<Event>(i)).name), c.picojoules[i], {0, 1e12});
}

template <typename V> void fields(V& visit, MatmulConfig& c) {
  visit("rows", c.rows, {1, 4096}); visit("columns", c.columns, {1, 4096}); visit("arrays", c.arrays, {1, 1024});
  visit("adder_inputs", c.adder_inputs, {1, 4096});
  visit("dataflow", c.dataflow); visit("overlap", c.overlap);
  visit("issue_cycles", c.issue_cycles, {0, kManyCycles});
  visit("block_cycles_min", c.block_cycles_min, {1, kManyCycles});
  visit("pack_kernel", c.pack_kernel); visit("image_granule", c.image_granule, {1, 4096});
  visit("fp16_elements_per_cycle", c.fp16_elements_per_cycle, {0, kMiB});
  visit.section("rate", RateFields{c.rate});
  visit("block_m", c.block_m, {1, 65536}); visit("block_n", c.block_n, {1, 65536});
  visit("sync_granularity", c.sync_granularity, {1, 65536});
}

template <typename V> void fields(V& visit, VectorConfig& c) {
  visit("lanes", c.lanes, {1, 65536}); visit("issue_cycles", c.issue_cycles, {0, kManyCycles});
  visit("simple_passes", c.simple_passes, {1, 10000});
  visit("transcendental_passes", c.transcendental_passes, {1, 10000});
  visit("divide_passes", c.divide_passes, {1, 10000});
  visit("reduction_cycles", c.reduction_cycles, {0, kManyCycles});
  visit("fp16_load_passes", c.fp16_load_passes, {0, 10000});
  visit("fp16_store_passes", c.fp16_store_passes, {0, 10000});
}

template <typename V> void fields(V& visit, DmaConfig& c) {
  visit("setup_cycles", c.setup_cycles, {0, kManyCycles});
  visit("outstanding_requests", c.outstanding_requests, {1, 65536});
  visit("request_bytes", c.request_bytes, {1, kMiB}); visit("requests_per_cycle", c.requests_per_cycle, {1, 1024});
  visit("buffer_bytes_per_cycle", c.buffer_bytes_per_cycle, {1, kMiB});
}

template <typename V> void fields(V& visit, ControlConfig& c) {
  visit("unit_queue", c.unit_queue, {1, 65536}); visit("dispatch_per_cycle", c.dispatch_per_cycle, {1, 1024});
  visit("fetch_bytes", c.fetch_bytes, {1, kMiB}); visit("fetch_ahead", c.fetch_ahead, {1, 65536});
  visit("signals", c.signals); visit("signal_cycles", c.signal_cycles, {0, kManyCycles});
  visit("launch_cycles", c.launch_cycles, {0, 1000000000});
}

template <typename V> void fields(V& visit, CoreConfig& c) {
  visit("frequency_mhz", c.frequency_mhz, {1, 100000}); visit("buffer_a_kib", c.buffer_a_kib, {1, kMiB});
  visit("buffer_b_kib", c.buffer_b_kib, {1, kMiB}); visit("accumulator_kib", c.accumulator_kib, {1, kMiB});
  visit.section("matmul", c.matmul); visit.section("vector", c.vector);
  visit.section("dma", c.dma); visit.section("control", c.control);
}

template <typename V> void fields(V& visit, ClusterMemoryConfig& c) {
  visit("capacity_kib", c.capacity_kib, {1, 16 * kMiB}); visit("line_bytes", c.line_bytes, {1, 65536});
  visit("ways", c.ways, {1, 1024});
  visit("addressed_ways", c.addressed_ways, {0, 1024}); visit("banks", c.banks, {1, 1024});
  visit("bank_hash", c.bank_hash);
  visit("mshrs", c.mshrs, {1, 65536});
  visit("latency_cycles", c.latency_cycles, {1, kManyCycles});
  visit("bank_bytes_per_cycle", c.bank_bytes_per_cycle, {1, kMiB});
}

template <typename V> void fields(V& visit, RouterConfig& c) {
  visit("virtual_channels", c.virtual_channels, {2, 16}); visit("buffer_flits", c.buffer_flits, {1, 128});
  visit("routing_cycles", c.routing_cycles, {0, 10000});
  visit("vc_allocation_cycles", c.vc_allocation_cycles, {0, 10000});
  visit("switch_allocation_cycles", c.switch_allocation_cycles, {1, 10000});
  visit("traversal_cycles", c.traversal_cycles, {0, 10000});
  visit("link_cycles", c.link_cycles, {1, 10000}); visit("terminal_cycles", c.terminal_cycles, {1, 10000});
  visit("group_flits", c.group_flits, {1, 128});
}

template <typename V> void fields(V& visit, MemoryPortConfig& c) {
  visit("places", c.places, {1, kMiB}); visit("buffer_flits", c.buffer_flits, {0, kMiB}); visit("order", c.order);
}

template <typename V> void fields(V& visit, NetworkConfig& c) {
  visit("topology", c.topology); visit("frequency_mhz", c.frequency_mhz, {1, 100000});
  visit("flit_bytes", c.flit_bytes, {1, 65536});
  visit("header_bytes", c.header_bytes, {0, 65536});
  visit("ports_per_cluster", c.ports_per_cluster, {1, 1024}); visit("request_port", c.request_port);
  visit("port_queue", c.port_queue, {1, kMiB});
  visit("combined_reads", c.combined_reads, {0, kMiB}); visit("multicast", c.multicast, {0, kMiB});
  visit("reduction", c.reduction, {0, 65536});
  visit("simple_latency_cycles", c.simple_latency_cycles, {1, kManyCycles});
  visit("columns", c.columns, {1, 1024}); visit("rows", c.rows, {1, 1024}); visit("routers", c.routers, {1, 65535});
  visit("clusters_per_router", c.clusters_per_router, {1, 1024});
  visit("channels_per_router", c.channels_per_router, {1, 1024});
  visit("cluster_routers", c.cluster_routers); visit("channel_routers", c.channel_routers);
  visit.section("router", c.router); visit.section("memory_port", c.memory_port);
}

template <typename V> void fields(V& visit, DramTimingConfig& c) {
  for (const DramTimingField& field : kDramTimingFields)
    visit(field.name, c.*field.written, {field.may_be_zero ? 0.0 : 1.0, 1e5});
}

template <typename V> void fields(V& visit, DramConfig& c) {
  visit("model", c.model); visit("preset", c.preset); visit("tck_ps", c.tck_ps, {1, 1000000});
  visit("channels", c.channels, {1, 1024});
  visit("pseudo_channels", c.pseudo_channels, {1, 64}); visit("regions", c.regions, {1, 1024});
  visit("interleave_bytes", c.interleave_bytes, {1, 1024 * kMiB});
  visit("pseudo_interleave_bytes", c.pseudo_interleave_bytes, {1, 1024 * kMiB});
  visit("interleave_hash", c.interleave_hash); visit("dual_command_bus", c.dual_command_bus);
  visit("shared_command_bus", c.shared_command_bus);
  visit("channel_capacity_mib", c.channel_capacity_mib, {1, kMiB});
  visit("bank_groups", c.bank_groups, {1, 64}); visit("banks_per_group", c.banks_per_group, {1, 1024});
  visit("row_bytes", c.row_bytes, {1, kMiB}); visit("burst_bytes", c.burst_bytes, {1, 4096});
  visit("mapping", c.mapping);
  visit.section("timing", c.timing);
  visit("read_queue", c.read_queue, {1, 65536}); visit("write_queue", c.write_queue, {1, 65536});
  visit("write_high", c.write_high, {0, 1}); visit("write_low", c.write_low, {0, 1});
  visit("controller_clocks", c.controller_clocks, {0, 100000});
}

template <typename V> void fields(V& visit, EnergyConfig& c) {
  visit("static_watts", c.static_watts, {0, 1e6});
  visit.section("picojoules", EventFields{c.picojoules});
}

template <typename V> void fields(V& visit, AreaConfig& c) {
  visit("mm2_per_mac", c.mm2_per_mac, {0, 1e9}); visit("mm2_per_vector_lane", c.mm2_per_vector_lane, {0, 1e9});
  visit("mm2_per_buffer_kib", c.mm2_per_buffer_kib, {0, 1e9});
  visit("mm2_per_cluster_kib", c.mm2_per_cluster_kib, {0, 1e9});
  visit("mm2_per_router", c.mm2_per_router, {0, 1e9}); visit("mm2_per_channel", c.mm2_per_channel, {0, 1e9});
  visit("cost_per_mm2", c.cost_per_mm2, {0, 1e9}); visit("cost_per_channel", c.cost_per_channel, {0, 1e9});
}

template <typename V> void fields(V& visit, ClusterKindConfig& c) {
  visit("count", c.count, {1, 1024}); visit("memory", c.memory);
  visit.section("core", c.core); visit.section("cluster_memory", c.cluster_memory);
}

template <typename V> void fields(V& visit, HardwareConfig& c) {
  visit("name", c.name); visit.count_or_kinds("clusters", c.clusters, {1, 1024});
  visit("cores_per_cluster", c.cores_per_cluster, {1, 1024});
  visit.section("core", c.core); visit.section("cluster_memory", c.cluster_memory);
  visit.section("network", c.network); visit.section("dram", c.dram);
  visit.section("energy", c.energy); visit.section("area", c.area);
  visit.kinds("clusters", c);
}
// clang-format on

}  // namespace tilewright
