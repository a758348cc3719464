#include <algorithm>

#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

// Multiply-adds per cell and cycle when the file names none, by data type: full rate up to 16 bit, a quarter for fp32.
constexpr std::array<double, kDataTypeCount> kDefaultRate{0.25, 1, 1, 1, 0};
// A slower array would take more cycles than a run can count.
constexpr double kMinRate = 1e-6, kMaxRate = 64;

void resolve_rates(const MatmulConfig& c, MatmulSpec& spec, Checker& check) {
  for (int i = 0; i < kDataTypeCount; ++i) {
    std::string path = fmt::format("core.matmul.rate.{}", name_of(static_cast<DataType>(i)));
    spec.rate[i] = check.at_least(path, c.rate[i], kDefaultRate[i], 0);
    const bool slow = spec.rate[i] > 0 && spec.rate[i] < kMinRate;
    if (slow || spec.rate[i] > kMaxRate)
      check.expected(path, spec.rate[i], fmt::format("0 or {} to {}", kMinRate, kMaxRate));
  }
  if (*std::max_element(spec.rate.begin(), spec.rate.end()) <= 0)
    check.problem("core.matmul.rate", "no data type has a rate above 0");
}

MatmulSpec resolve_matmul(const MatmulConfig& c, Checker& check) {
  MatmulSpec spec;
  spec.rows = check.required("core.matmul.rows", c.rows, 1);
  spec.columns = check.required("core.matmul.columns", c.columns, 1);
  spec.arrays = check.at_least("core.matmul.arrays", c.arrays, spec.arrays, 1);
  spec.dataflow = c.dataflow.value_or(spec.dataflow);
  spec.overlap = c.overlap.value_or(spec.overlap);
  spec.issue_cycles = check.at_least("core.matmul.issue_cycles", c.issue_cycles, spec.issue_cycles, 0);
  spec.block_cycles_min = check.at_least("core.matmul.block_cycles_min", c.block_cycles_min, spec.block_cycles_min, 1);
  spec.pack_kernel = c.pack_kernel.value_or(spec.pack_kernel);
  spec.image_granule = check.at_least("core.matmul.image_granule", c.image_granule, spec.image_granule, 1);
  resolve_rates(c, spec, check);
  spec.block_m = check.at_least("core.matmul.block_m", c.block_m, spec.rows, 1);
  spec.block_n = check.at_least("core.matmul.block_n", c.block_n, spec.columns, 1);
  spec.sync_granularity = check.at_least("core.matmul.sync_granularity", c.sync_granularity, spec.sync_granularity, 1);
  return spec;
}

VectorSpec resolve_vector(const VectorConfig& c, Checker& check) {
  VectorSpec spec;
  spec.lanes = check.required("core.vector.lanes", c.lanes, 1);
  spec.issue_cycles = check.at_least("core.vector.issue_cycles", c.issue_cycles, spec.issue_cycles, 0);
  spec.simple_passes = check.at_least("core.vector.simple_passes", c.simple_passes, spec.simple_passes, 1);
  spec.transcendental_passes =
      check.at_least("core.vector.transcendental_passes", c.transcendental_passes, spec.transcendental_passes, 1);
  spec.divide_passes = check.at_least("core.vector.divide_passes", c.divide_passes, spec.divide_passes, 1);
  spec.reduction_cycles = check.at_least("core.vector.reduction_cycles", c.reduction_cycles, spec.reduction_cycles, 0);
  return spec;
}

DmaSpec resolve_dma(const DmaConfig& c, Checker& check) {
  DmaSpec spec;
  spec.setup_cycles = check.at_least("core.dma.setup_cycles", c.setup_cycles, spec.setup_cycles, 0);
  spec.outstanding_requests =
      check.at_least("core.dma.outstanding_requests", c.outstanding_requests, spec.outstanding_requests, 1);
  spec.request_bytes = check.at_least("core.dma.request_bytes", c.request_bytes, spec.request_bytes, 1);
  spec.requests_per_cycle = check.at_least("core.dma.requests_per_cycle", c.requests_per_cycle, 1, 1);
  spec.buffer_bytes_per_cycle =
      check.at_least("core.dma.buffer_bytes_per_cycle", c.buffer_bytes_per_cycle, spec.buffer_bytes_per_cycle, 1);
  return spec;
}

ControlSpec resolve_control(const ControlConfig& c, Checker& check) {
  ControlSpec spec;
  spec.unit_queue = check.at_least("core.control.unit_queue", c.unit_queue, spec.unit_queue, 1);
  spec.dispatch_per_cycle = check.at_least("core.control.dispatch_per_cycle", c.dispatch_per_cycle, 1, 1);
  spec.fetch_bytes = check.at_least("core.control.fetch_bytes", c.fetch_bytes, spec.fetch_bytes, 1);
  spec.fetch_ahead = check.at_least("core.control.fetch_ahead", c.fetch_ahead, spec.fetch_ahead, 1);
  spec.signals = c.signals.value_or(spec.signals);
  spec.signal_cycles = check.at_least("core.control.signal_cycles", c.signal_cycles, spec.signal_cycles, 0);
  spec.launch_cycles = check.at_least("core.control.launch_cycles", c.launch_cycles, spec.launch_cycles, 0);
  return spec;
}

Bytes smallest_element(const MatmulSpec& matmul) {
  Bytes smallest = 4;
  for (int i = 0; i < kDataTypeCount; ++i)
    if (matmul.rate[i] > 0) smallest = std::min<Bytes>(smallest, bytes_of(static_cast<DataType>(i)));
  return smallest;
}

// A block is what the array holds at one time; while one is computed the next must find room.
void check_two_blocks(const char* path, Bytes capacity, Bytes block, Checker& check) {
  if (capacity >= 2 * block) return;
  check.expected(path, capacity / 1024,
                 fmt::format("at least two array blocks of {} bytes, {} KiB", block, ceil_div<Bytes>(2 * block, 1024)));
}

void check_buffers(const CoreSpec& core, Checker& check) {
  const MatmulSpec& m = core.matmul;
  Bytes element = smallest_element(m);
  check_two_blocks("core.buffer_a_kib", core.buffer_a, element * m.rows * m.rows, check);
  check_two_blocks("core.buffer_b_kib", core.buffer_b, element * m.rows * m.columns, check);
  check_two_blocks("core.accumulator_kib", core.accumulator, 4 * m.rows * m.columns, check);
}

}  // namespace

CoreSpec resolve_core(const CoreConfig& c, Checker& check) {
  CoreSpec spec;
  spec.buffer_a = 1024 * check.required("core.buffer_a_kib", c.buffer_a_kib, 1);
  spec.buffer_b = 1024 * check.required("core.buffer_b_kib", c.buffer_b_kib, 1);
  spec.accumulator = 1024 * check.required("core.accumulator_kib", c.accumulator_kib, 1);
  spec.matmul = resolve_matmul(c.matmul, check);
  spec.vector = resolve_vector(c.vector, check);
  spec.dma = resolve_dma(c.dma, check);
  spec.control = resolve_control(c.control, check);
  if (c.buffer_a_kib && c.buffer_b_kib && c.accumulator_kib && c.matmul.rows && c.matmul.columns)
    check_buffers(spec, check);
  return spec;
}

ClusterMemorySpec resolve_cluster_memory(const ClusterMemoryConfig& c, Checker& check) {
  ClusterMemorySpec spec;
  spec.capacity = 1024 * check.required("cluster_memory.capacity_kib", c.capacity_kib, 1);
  spec.line_bytes = check.at_least("cluster_memory.line_bytes", c.line_bytes, spec.line_bytes, 1);
  check.power_of_two("cluster_memory.line_bytes", spec.line_bytes);
  spec.ways = check.at_least("cluster_memory.ways", c.ways, spec.ways, 1);
  spec.addressed_ways = check.at_least("cluster_memory.addressed_ways", c.addressed_ways, spec.addressed_ways, 0);
  spec.banks = check.at_least("cluster_memory.banks", c.banks, spec.banks, 1);
  check.power_of_two("cluster_memory.banks", spec.banks);
  spec.mshrs = check.count("cluster_memory.mshrs", c.mshrs, spec.mshrs, 1 << 16);
  spec.latency_cycles = check.at_least("cluster_memory.latency_cycles", c.latency_cycles, spec.latency_cycles, 1);
  spec.bank_bytes_per_cycle = check.at_least("cluster_memory.bank_bytes_per_cycle", c.bank_bytes_per_cycle, 64, 1);
  if (spec.addressed_ways > spec.ways)
    check.expected("cluster_memory.addressed_ways", spec.addressed_ways, fmt::format("at most ways ({})", spec.ways));
  if (c.capacity_kib && spec.capacity % (spec.ways * spec.line_bytes) != 0)
    check.expected("cluster_memory.ways", spec.ways,
                   fmt::format("a divisor of the {} lines of the memory", spec.capacity / spec.line_bytes));
  return spec;
}

}  // namespace tilewright
