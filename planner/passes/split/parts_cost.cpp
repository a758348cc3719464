#include "planner/passes/split/parts_cost.h"

#include <algorithm>

#include "sim/hw/matmul_timing.h"

namespace tilewright {
namespace {

// Bytes per core clock that one core gets when all load at once.
double bandwidth_share(const Hardware& hardware) { return hardware.dram_bytes_per_cycle() / hardware.cores(); }

Cycles compute_cycles(const Plan& plan, const GemmShape& s, DataType type) {
  Cycles compute = kNeverCycle;
  for (const bool a_stationary : {false, true})
    compute = std::min(compute, array_time(plan.hardware.core.matmul, {.m = s.m,
                                                                       .n = s.n,
                                                                       .k = s.k,
                                                                       .a_stationary = a_stationary,
                                                                       .type = type,
                                                                       .kernel = s.conv ? s.conv->kernel() : 1})
                                    .occupancy);
  return compute;
}

}  // namespace

double part_cycles(const Plan& plan, const Contraction& part) {
  const GemmShape& s = part.shape();
  const DataType type = plan.tensors[part.tensor_a()].type;
  const double b =
      s.conv
          ? static_cast<double>(s.conv->input_elements(s.conv->images, s.conv->rows, s.conv->columns, s.conv->channels))
          : static_cast<double>(s.n) * static_cast<double>(s.k);
  const double elements = static_cast<double>(s.m) * static_cast<double>(s.k + s.n) + b;
  const double load = elements * bytes_of(type) / bandwidth_share(plan.hardware);
  const auto compute = static_cast<double>(compute_cycles(plan, s, type));
  return static_cast<double>(s.batches) * (std::max(compute, load) + 1e-3 * load);
}

double exchange_cycles(const Plan& plan, const Contraction& part, std::int64_t parts) {
  if (parts == 1) return 0;
  const Hardware& hardware = plan.hardware;
  const auto inside = std::min<std::int64_t>(parts, hardware.cores_per_cluster);
  const std::int64_t clusters = ceil_div(parts, inside);
  const GemmShape& s = part.shape();
  const double bytes = static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n) *
                       bytes_of(accumulator_type(plan.tensors[part.tensor_a()].type));
  const double moved = static_cast<double>(inside - 1 + clusters - 1) * 2 * bytes / bandwidth_share(hardware);
  const int levels = (inside > 1) + (clusters > 1);
  return moved + levels * (hardware.core.control.signal_cycles + 2 * hardware.core.dau.setup_cycles);
}

}  // namespace tilewright
