// The hardware as written in its file: what is absent there is absent here. `docs/hardware.md` explains every key; the
// names of the fields are the keys. fields() lists the keys of a section once, for reading and for writing.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/event.h"
#include "sim/base/yaml_reader.h"
#include "sim/hw/config/core_spec.h"
#include "sim/hw/config/dram_spec.h"
#include "sim/hw/config/network_spec.h"

namespace tilewright {

template <typename T>
using Opt = std::optional<T>;

struct MatmulConfig {
  Opt<int> rows, columns, arrays, adder_inputs;
  Opt<Dataflow> dataflow;
  Opt<TileOverlap> overlap;
  Opt<int> issue_cycles, block_cycles_min;
  Opt<bool> pack_kernel;
  Opt<int> image_granule, fp16_elements_per_cycle;
  std::array<Opt<double>, kDataTypeCount> rate;
  Opt<int> block_m, block_n, sync_granularity;
};

struct VectorConfig {
  Opt<int> lanes, issue_cycles, simple_passes, transcendental_passes, divide_passes;
  Opt<double> reduction_cycles;
  Opt<int> fp16_load_passes, fp16_store_passes;
};

struct DmaConfig {
  Opt<int> setup_cycles, outstanding_requests;
  Opt<Bytes> request_bytes;
  Opt<int> requests_per_cycle;
  Opt<Bytes> buffer_bytes_per_cycle;
};

struct ControlConfig {
  Opt<int> unit_queue, dispatch_per_cycle;
  Opt<Bytes> fetch_bytes;
  Opt<int> fetch_ahead;
  Opt<SignalWay> signals;
  Opt<int> signal_cycles, launch_cycles;
};

struct CoreConfig {
  Opt<double> frequency_mhz;
  Opt<Bytes> buffer_a_kib, buffer_b_kib, accumulator_kib;
  MatmulConfig matmul;
  VectorConfig vector;
  DmaConfig dma;
  ControlConfig control;
};

struct ClusterMemoryConfig {
  bool present = false;
  Opt<Bytes> capacity_kib, line_bytes;
  Opt<int> ways, addressed_ways, banks, mshrs, latency_cycles;
  Opt<bool> bank_hash;
  Opt<Bytes> bank_bytes_per_cycle;
};

// With all keys of the chip's sections that it does not write itself.
struct ClusterKindConfig {
  Opt<int> count;
  Opt<bool> memory;
  CoreConfig core;
  ClusterMemoryConfig cluster_memory;
};

struct RouterConfig {
  Opt<int> virtual_channels, buffer_flits, routing_cycles, vc_allocation_cycles, switch_allocation_cycles;
  Opt<int> traversal_cycles, link_cycles, terminal_cycles, group_flits;
};

struct MemoryPortConfig {
  Opt<int> places, buffer_flits;
  Opt<TakeOrder> order;
};

struct NetworkConfig {
  Opt<Topology> topology;
  Opt<double> frequency_mhz;
  Opt<int> flit_bytes, header_bytes, ports_per_cluster, simple_latency_cycles, combined_reads, multicast, reduction;
  Opt<RequestPort> request_port;
  Opt<int> port_queue;
  Opt<int> columns, rows, routers, clusters_per_router, channels_per_router;
  Opt<std::vector<std::int64_t>> cluster_routers, channel_routers;
  RouterConfig router;
  MemoryPortConfig memory_port;
};

struct DramTimingConfig {
  Opt<int> CL, CWL, RCDRD, RCDWR, RP, RAS, RC, burst, CCD_S, CCD_L, RRD_S, RRD_L, FAW, WR, WTR_S, WTR_L, RTP, RTW, RFC,
      REFI;
};

struct DramConfig {
  Opt<DramModel> model;
  Opt<std::string> preset;
  Opt<Picoseconds> tck_ps;
  Opt<int> channels, pseudo_channels, regions;
  Opt<Bytes> interleave_bytes, pseudo_interleave_bytes;
  Opt<bool> interleave_hash, dual_command_bus, shared_command_bus;
  Opt<Bytes> channel_capacity_mib;
  Opt<int> bank_groups, banks_per_group;
  Opt<Bytes> row_bytes, burst_bytes;
  Opt<std::vector<std::string>> mapping;
  DramTimingConfig timing;
  Opt<int> read_queue, write_queue;
  Opt<double> write_high, write_low;
  Opt<Cycles> controller_clocks;
};

struct EnergyConfig {
  Opt<double> static_watts;
  std::array<Opt<double>, kEventCount> picojoules;
};

struct AreaConfig {
  Opt<double> mm2_per_mac, mm2_per_vector_lane, mm2_per_buffer_kib, mm2_per_cluster_kib, mm2_per_router;
  Opt<double> mm2_per_channel, cost_per_mm2, cost_per_channel;
};

struct HardwareConfig {
  FileProblems problems{""};         // found while reading; resolve() reports them with its own
  std::map<std::string, int> lines;  // of the keys present, by full path
  Opt<std::string> name;
  Opt<int> clusters, cores_per_cluster;
  CoreConfig core;
  ClusterMemoryConfig cluster_memory;
  std::vector<ClusterKindConfig> kinds;  // in place of `clusters`
  NetworkConfig network;
  DramConfig dram;
  EnergyConfig energy;
  AreaConfig area;
};

// A timing parameter of a DRAM, as written and as resolved.
struct DramTimingField {
  const char* name;
  Opt<int> DramTimingConfig::*written;
  int DramTiming::*resolved;
  bool may_be_zero;  // 0 switches the rule off
};

inline constexpr DramTimingField kDramTimingFields[] = {
    {"CL", &DramTimingConfig::CL, &DramTiming::CL, false},
    {"CWL", &DramTimingConfig::CWL, &DramTiming::CWL, false},
    {"RCDRD", &DramTimingConfig::RCDRD, &DramTiming::RCDRD, false},
    {"RCDWR", &DramTimingConfig::RCDWR, &DramTiming::RCDWR, false},
    {"RP", &DramTimingConfig::RP, &DramTiming::RP, false},
    {"RAS", &DramTimingConfig::RAS, &DramTiming::RAS, false},
    {"RC", &DramTimingConfig::RC, &DramTiming::RC, false},
    {"burst", &DramTimingConfig::burst, &DramTiming::burst, false},
    {"CCD_S", &DramTimingConfig::CCD_S, &DramTiming::CCD_S, false},
    {"CCD_L", &DramTimingConfig::CCD_L, &DramTiming::CCD_L, false},
    {"RRD_S", &DramTimingConfig::RRD_S, &DramTiming::RRD_S, false},
    {"RRD_L", &DramTimingConfig::RRD_L, &DramTiming::RRD_L, false},
    {"FAW", &DramTimingConfig::FAW, &DramTiming::FAW, true},
    {"WR", &DramTimingConfig::WR, &DramTiming::WR, false},
    {"WTR_S", &DramTimingConfig::WTR_S, &DramTiming::WTR_S, false},
    {"WTR_L", &DramTimingConfig::WTR_L, &DramTiming::WTR_L, false},
    {"RTP", &DramTimingConfig::RTP, &DramTiming::RTP, false},
    {"RTW", &DramTimingConfig::RTW, &DramTiming::RTW, false},
    {"RFC", &DramTimingConfig::RFC, &DramTiming::RFC, true},
    {"REFI", &DramTimingConfig::REFI, &DramTiming::REFI, true},
};

}  // namespace tilewright
