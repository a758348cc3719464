#include "sim/base/event.h"

namespace tilewright {
namespace {

constexpr std::array<EventInfo, kEventCount> kEvents{{
    {"dram_activate", "dram", "rows", "rows opened, with the precharge that follows"},
    {"dram_read_bytes", "dram", "bytes", "bytes of read bursts"},
    {"dram_write_bytes", "dram", "bytes", "bytes of write bursts"},
    {"dram_refresh", "dram", "refreshes", "all-bank refreshes of one pseudo channel"},
    {"flit_hop", "network", "flits", "flits over one router and its output link"},
    {"network_add", "network", "elements", "elements added in routers"},
    {"cluster_read_bytes", "cluster", "bytes", "bytes read from cluster memory or cache"},
    {"cluster_write_bytes", "cluster", "bytes", "bytes written to cluster memory or cache"},
    {"buffer_read_bytes", "buffers", "bytes", "bytes read from the input buffers"},
    {"buffer_write_bytes", "buffers", "bytes", "bytes written to the input buffers"},
    {"accumulator_read_bytes", "buffers", "bytes", "bytes read from the accumulate buffer"},
    {"accumulator_write_bytes", "buffers", "bytes", "bytes written to the accumulate buffer"},
    {"mac_int8", "matmul", "MACs", "int8 multiply-adds"},
    {"mac_fp8", "matmul", "MACs", "multiply-adds of 8-bit floats"},
    {"mac_fp16", "matmul", "MACs", "fp16 and bf16 multiply-adds"},
    {"mac_fp32", "matmul", "MACs", "fp32 multiply-adds"},
    {"vector_element", "vector", "elements", "elements through one vector operation"},
    {"instruction", "control", "instructions", "instructions fetched and dispatched"},
}};

}  // namespace

const EventInfo& info_of(Event event) { return kEvents[static_cast<int>(event)]; }

EventCounts EventMeter::total() const {
  EventCounts sum{};
  for (const EventCounts& counts : counts_)
    for (int i = 0; i < kEventCount; ++i) sum[i] += counts[i];
  return sum;
}

}  // namespace tilewright
