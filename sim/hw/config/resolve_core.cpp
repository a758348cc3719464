#include <algorithm>

#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

// Multiply-adds per cell and cycle when the file names none, by data type: full rate up to 16 bit, a quarter for fp32.
// What only some chips have, a file must name.
constexpr std::array<double, kDataTypeCount> kDefaultRate{0.25, 1, 1, 1, 0, 0, 0};
// A slower array would take more cycles than a run can count.
constexpr double kMinRate = 1e-6;

void resolve_rates(const MatmulConfig& c, MatmulSpec& spec, Checker& check) {
  for (int i = 0; i < kDataTypeCount; ++i) {
    std::string path = fmt::format("core.matmul.rate.{}", name_of(static_cast<DataType>(i)));
    spec.rate[i] = c.rate[i].value_or(kDefaultRate[i]);
    if (spec.rate[i] > 0 && spec.rate[i] < kMinRate)
      check.expected(path, spec.rate[i], fmt::format("0, or {} or more", kMinRate));
  }
  if (*std::max_element(spec.rate.begin(), spec.rate.end()) <= 0)
    check.problem("core.matmul.rate", "no data type has a rate above 0");
}

MatmulSpec resolve_matmul(const MatmulConfig& c, Checker& check) {
  MatmulSpec spec;
  spec.rows = check.required("core.matmul.rows", c.rows);
  spec.columns = check.required("core.matmul.columns", c.columns);
  spec.arrays = c.arrays.value_or(spec.arrays);
  spec.adder_inputs = c.adder_inputs.value_or(spec.adder_inputs);
  spec.dataflow = c.dataflow.value_or(spec.dataflow);
  spec.overlap = c.overlap.value_or(spec.overlap);
  spec.issue_cycles = c.issue_cycles.value_or(spec.issue_cycles);
  spec.block_cycles_min = c.block_cycles_min.value_or(spec.block_cycles_min);
  spec.pack_kernel = c.pack_kernel.value_or(spec.pack_kernel);
  spec.image_granule = c.image_granule.value_or(spec.image_granule);
  spec.fp16_elements_per_cycle = c.fp16_elements_per_cycle.value_or(spec.fp16_elements_per_cycle);
  resolve_rates(c, spec, check);
  spec.block_m = c.block_m.value_or(spec.rows);
  spec.block_n = c.block_n.value_or(spec.columns);
  spec.sync_granularity = c.sync_granularity.value_or(spec.sync_granularity);
  return spec;
}

VectorSpec resolve_vector(const VectorConfig& c, Checker& check) {
  VectorSpec spec;
  spec.lanes = check.required("core.vector.lanes", c.lanes);
  spec.issue_cycles = c.issue_cycles.value_or(spec.issue_cycles);
  spec.simple_passes = c.simple_passes.value_or(spec.simple_passes);
  spec.transcendental_passes = c.transcendental_passes.value_or(spec.transcendental_passes);
  spec.divide_passes = c.divide_passes.value_or(spec.divide_passes);
  spec.reduction_cycles = c.reduction_cycles.value_or(spec.reduction_cycles);
  spec.fp16_load_passes = c.fp16_load_passes.value_or(spec.fp16_load_passes);
  spec.fp16_store_passes = c.fp16_store_passes.value_or(spec.fp16_store_passes);
  return spec;
}

DmaSpec resolve_dma(const DmaConfig& c) {
  DmaSpec spec;
  spec.setup_cycles = c.setup_cycles.value_or(spec.setup_cycles);
  spec.outstanding_requests = c.outstanding_requests.value_or(spec.outstanding_requests);
  spec.request_bytes = c.request_bytes.value_or(spec.request_bytes);
  spec.requests_per_cycle = c.requests_per_cycle.value_or(1);
  spec.buffer_bytes_per_cycle = c.buffer_bytes_per_cycle.value_or(spec.buffer_bytes_per_cycle);
  return spec;
}

ControlSpec resolve_control(const ControlConfig& c) {
  ControlSpec spec;
  spec.unit_queue = c.unit_queue.value_or(spec.unit_queue);
  spec.dispatch_per_cycle = c.dispatch_per_cycle.value_or(1);
  spec.fetch_bytes = c.fetch_bytes.value_or(spec.fetch_bytes);
  spec.fetch_ahead = c.fetch_ahead.value_or(spec.fetch_ahead);
  spec.signals = c.signals.value_or(spec.signals);
  spec.signal_cycles = c.signal_cycles.value_or(spec.signal_cycles);
  spec.launch_cycles = c.launch_cycles.value_or(spec.launch_cycles);
  return spec;
}

Bytes smallest_element(const MatmulSpec& matmul) {
  Bytes smallest = 4;
  for (int i = 0; i < kDataTypeCount; ++i)
    if (matmul.rate[i] > 0) smallest = std::min<Bytes>(smallest, bytes_of(static_cast<DataType>(i)));
  return smallest;
}

}  // namespace

std::array<BufferNeed, 3> needs_of(const CoreSpec& core) {
  const MatmulSpec& m = core.matmul;
  const Bytes element = smallest_element(m);
  return {{{"core.buffer_a_kib", core.buffer_a, element * m.rows * m.rows},
           {"core.buffer_b_kib", core.buffer_b, element * m.rows * m.columns},
           {"core.accumulator_kib", core.accumulator, Bytes{4} * m.rows * m.columns}}};
}

CoreSpec resolve_core(const CoreConfig& c, Checker& check) {
  CoreSpec spec;
  spec.buffer_a = 1024 * check.required("core.buffer_a_kib", c.buffer_a_kib);
  spec.buffer_b = 1024 * check.required("core.buffer_b_kib", c.buffer_b_kib);
  spec.accumulator = 1024 * check.required("core.accumulator_kib", c.accumulator_kib);
  spec.matmul = resolve_matmul(c.matmul, check);
  spec.vector = resolve_vector(c.vector, check);
  spec.dma = resolve_dma(c.dma);
  spec.control = resolve_control(c.control);
  if (!c.buffer_a_kib || !c.buffer_b_kib || !c.accumulator_kib || !c.matmul.rows || !c.matmul.columns) return spec;
  for (const auto& [path, capacity, block] : needs_of(spec))
    if (capacity < 2 * block)
      check.expected(
          path, capacity / 1024,
          fmt::format("at least two array blocks of {} bytes, {} KiB", block, ceil_div<Bytes>(2 * block, 1024)));
  return spec;
}

ClusterMemorySpec resolve_cluster_memory(const ClusterMemoryConfig& c, Checker& check) {
  ClusterMemorySpec spec;
  spec.capacity = 1024 * check.required("cluster_memory.capacity_kib", c.capacity_kib);
  spec.line_bytes = c.line_bytes.value_or(spec.line_bytes);
  check.power_of_two("cluster_memory.line_bytes", spec.line_bytes);
  spec.ways = c.ways.value_or(spec.ways);
  spec.addressed_ways = c.addressed_ways.value_or(spec.addressed_ways);
  spec.banks = c.banks.value_or(spec.banks);
  check.power_of_two("cluster_memory.banks", spec.banks);
  spec.bank_hash = c.bank_hash.value_or(spec.bank_hash);
  spec.mshrs = c.mshrs.value_or(spec.mshrs);
  spec.latency_cycles = c.latency_cycles.value_or(spec.latency_cycles);
  spec.bank_bytes_per_cycle = c.bank_bytes_per_cycle.value_or(64);
  if (spec.addressed_ways > spec.ways)
    check.expected("cluster_memory.addressed_ways", spec.addressed_ways, fmt::format("at most ways ({})", spec.ways));
  if (c.capacity_kib && spec.capacity % (spec.ways * spec.line_bytes) != 0)
    check.expected("cluster_memory.ways", spec.ways,
                   fmt::format("a divisor of the {} lines of the memory", spec.capacity / spec.line_bytes));
  return spec;
}

}  // namespace tilewright
