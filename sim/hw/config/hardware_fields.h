// The keys of every section of a hardware file, listed once: the reader, the writer and the documentation's test visit
// them. visit(key, field) is called for a scalar or list, visit.section(key, section) for a mapping.
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

// The sub-mappings whose keys are the names of data types and of events.
struct RateFields {
  std::array<Opt<double>, kDataTypeCount>& rate;
};
struct EventFields {
  std::array<Opt<double>, kEventCount>& picojoules;
};

// clang-format off
template <typename V> void fields(V& visit, RateFields c) {
  for (int i = 0; i < kDataTypeCount; ++i) visit(std::string(name_of(static_cast<DataType>(i))), c.rate[i]);
}

template <typename V> void fields(V& visit, EventFields c) {
  for (int i = 0; i < kEventCount; ++i) visit(std::string(info_of(static_cast<Event>(i)).name), c.picojoules[i]);
}

template <typename V> void fields(V& visit, MatmulConfig& c) {
  visit("rows", c.rows); visit("columns", c.columns); visit("arrays", c.arrays);
  visit("dataflow", c.dataflow); visit("overlap", c.overlap);
  visit("issue_cycles", c.issue_cycles); visit("block_cycles_min", c.block_cycles_min);
  visit("pack_kernel", c.pack_kernel); visit("image_granule", c.image_granule);
  visit.section("rate", RateFields{c.rate});
  visit("block_m", c.block_m); visit("block_n", c.block_n); visit("sync_granularity", c.sync_granularity);
}

template <typename V> void fields(V& visit, VectorConfig& c) {
  visit("lanes", c.lanes); visit("issue_cycles", c.issue_cycles); visit("simple_passes", c.simple_passes);
  visit("transcendental_passes", c.transcendental_passes); visit("divide_passes", c.divide_passes);
  visit("reduction_cycles", c.reduction_cycles);
}

template <typename V> void fields(V& visit, DmaConfig& c) {
  visit("setup_cycles", c.setup_cycles); visit("outstanding_requests", c.outstanding_requests);
  visit("request_bytes", c.request_bytes); visit("requests_per_cycle", c.requests_per_cycle);
  visit("buffer_bytes_per_cycle", c.buffer_bytes_per_cycle);
}

template <typename V> void fields(V& visit, ControlConfig& c) {
  visit("unit_queue", c.unit_queue); visit("dispatch_per_cycle", c.dispatch_per_cycle);
  visit("fetch_bytes", c.fetch_bytes); visit("fetch_ahead", c.fetch_ahead);
  visit("signals", c.signals); visit("signal_cycles", c.signal_cycles); visit("launch_cycles", c.launch_cycles);
}

template <typename V> void fields(V& visit, CoreConfig& c) {
  visit("frequency_mhz", c.frequency_mhz); visit("buffer_a_kib", c.buffer_a_kib);
  visit("buffer_b_kib", c.buffer_b_kib); visit("accumulator_kib", c.accumulator_kib);
  visit.section("matmul", c.matmul); visit.section("vector", c.vector);
  visit.section("dma", c.dma); visit.section("control", c.control);
}

template <typename V> void fields(V& visit, ClusterMemoryConfig& c) {
  visit("capacity_kib", c.capacity_kib); visit("line_bytes", c.line_bytes); visit("ways", c.ways);
  visit("addressed_ways", c.addressed_ways); visit("banks", c.banks); visit("mshrs", c.mshrs);
  visit("latency_cycles", c.latency_cycles); visit("bank_bytes_per_cycle", c.bank_bytes_per_cycle);
}

template <typename V> void fields(V& visit, RouterConfig& c) {
  visit("virtual_channels", c.virtual_channels); visit("buffer_flits", c.buffer_flits);
  visit("routing_cycles", c.routing_cycles); visit("vc_allocation_cycles", c.vc_allocation_cycles);
  visit("switch_allocation_cycles", c.switch_allocation_cycles); visit("traversal_cycles", c.traversal_cycles);
  visit("link_cycles", c.link_cycles); visit("terminal_cycles", c.terminal_cycles);
  visit("group_flits", c.group_flits);
}

template <typename V> void fields(V& visit, NetworkConfig& c) {
  visit("topology", c.topology); visit("frequency_mhz", c.frequency_mhz); visit("flit_bytes", c.flit_bytes);
  visit("header_bytes", c.header_bytes);
  visit("ports_per_cluster", c.ports_per_cluster); visit("request_port", c.request_port); visit("simple_latency_cycles", c.simple_latency_cycles);
  visit("combined_reads", c.combined_reads);
  visit("columns", c.columns); visit("rows", c.rows); visit("routers", c.routers);
  visit("clusters_per_router", c.clusters_per_router); visit("channels_per_router", c.channels_per_router);
  visit("cluster_routers", c.cluster_routers); visit("channel_routers", c.channel_routers);
  visit.section("router", c.router);
}

template <typename V> void fields(V& visit, DramTimingConfig& c) {
  visit("CL", c.CL); visit("CWL", c.CWL); visit("RCDRD", c.RCDRD); visit("RCDWR", c.RCDWR); visit("RP", c.RP);
  visit("RAS", c.RAS); visit("RC", c.RC); visit("burst", c.burst); visit("CCD_S", c.CCD_S); visit("CCD_L", c.CCD_L);
  visit("RRD_S", c.RRD_S); visit("RRD_L", c.RRD_L); visit("FAW", c.FAW); visit("WR", c.WR);
  visit("WTR_S", c.WTR_S); visit("WTR_L", c.WTR_L); visit("RTP", c.RTP); visit("RTW", c.RTW);
  visit("RFC", c.RFC); visit("REFI", c.REFI);
}

template <typename V> void fields(V& visit, DramConfig& c) {
  visit("model", c.model); visit("preset", c.preset); visit("tck_ps", c.tck_ps); visit("channels", c.channels);
  visit("pseudo_channels", c.pseudo_channels); visit("regions", c.regions);
  visit("interleave_bytes", c.interleave_bytes); visit("pseudo_interleave_bytes", c.pseudo_interleave_bytes);
  visit("interleave_hash", c.interleave_hash); visit("dual_command_bus", c.dual_command_bus);
  visit("channel_capacity_mib", c.channel_capacity_mib);
  visit("bank_groups", c.bank_groups); visit("banks_per_group", c.banks_per_group);
  visit("row_bytes", c.row_bytes); visit("burst_bytes", c.burst_bytes); visit("mapping", c.mapping);
  visit.section("timing", c.timing);
  visit("read_queue", c.read_queue); visit("write_queue", c.write_queue);
  visit("write_high", c.write_high); visit("write_low", c.write_low);
  visit("controller_clocks", c.controller_clocks);
}

template <typename V> void fields(V& visit, EnergyConfig& c) {
  visit("static_watts", c.static_watts);
  visit.section("picojoules", EventFields{c.picojoules});
}

template <typename V> void fields(V& visit, AreaConfig& c) {
  visit("mm2_per_mac", c.mm2_per_mac); visit("mm2_per_vector_lane", c.mm2_per_vector_lane);
  visit("mm2_per_buffer_kib", c.mm2_per_buffer_kib); visit("mm2_per_cluster_kib", c.mm2_per_cluster_kib);
  visit("mm2_per_router", c.mm2_per_router); visit("mm2_per_channel", c.mm2_per_channel);
  visit("cost_per_mm2", c.cost_per_mm2); visit("cost_per_channel", c.cost_per_channel);
}

template <typename V> void fields(V& visit, HardwareConfig& c) {
  visit("name", c.name); visit("clusters", c.clusters); visit("cores_per_cluster", c.cores_per_cluster);
  visit.section("core", c.core); visit.section("cluster_memory", c.cluster_memory);
  visit.section("network", c.network); visit.section("dram", c.dram);
  visit.section("energy", c.energy); visit.section("area", c.area);
}
// clang-format on

}  // namespace tilewright
