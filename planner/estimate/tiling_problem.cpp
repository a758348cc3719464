// From an operator of a plan to the numbers its bounds are made of.
#include <algorithm>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/contraction_unit.h"
#include "planner/estimate/tiling_bound.h"
#include "planner/estimate/tiling_time.h"
#include "planner/graph/window.h"
#include "planner/ir/directions.h"
#include "planner/ir/requirement.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {
namespace {

// The vector unit multiplies in fp32.
Event mac_event(DataType type, Unit unit) {
  if (type == DataType::kInt8) return Event::kMacInt8;
  if (is_fp8(type) && unit == Unit::kMatmul) return Event::kMacFp8;
  return type == DataType::kFp32 || unit == Unit::kVector ? Event::kMacFp32 : Event::kMacFp16;
}

// Of one multiply-add at least: how many groups each unit has depends on the part.
double mac_price(const EnergySpec& energy, const TilingProblem& p) {
  const double array = energy.picojoules[static_cast<int>(mac_event(p.type, Unit::kMatmul))];
  const double vector = energy.picojoules[static_cast<int>(mac_event(p.type, Unit::kVector))];
  if (p.on_both) return std::min(array, vector);
  return p.on_vector ? vector : array;
}

void set_chip(TilingProblem& p, const Hardware& hardware, int cores) {
  p.cores = cores, p.cores_per_cluster = hardware.cores_per_cluster;
  p.core = hardware.core;
  p.dram_bytes_per_cycle = dram_peak(hardware);
  p.cluster_bytes_per_cycle = cluster_peak(hardware);
  p.shares_loads = hardware.shares_loads();
  p.largest_request = dram_request_limits(hardware).longest();
  for (const ClusterKind& kind : hardware.kinds) {
    p.kinds.push_back(kind.core);
    p.largest_request = std::max(p.largest_request, dram_request_limits(hardware, kind.core.dma).longest());
  }
}

void set_energy(TilingProblem& p, const Hardware& hardware, std::int64_t macs) {
  const auto& price = hardware.energy.picojoules;
  p.static_pj_per_cycle = hardware.energy.static_watts * static_cast<double>(hardware.core_clock.period_ps);
  p.read_pj_per_byte = price[static_cast<int>(Event::kDramReadBytes)];
  p.write_pj_per_byte = price[static_cast<int>(Event::kDramWriteBytes)];
  p.macs_pj = mac_price(hardware.energy, p) * static_cast<double>(macs);
}

void set_parts(TilingProblem& p, const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const Directions at = directions_of(plan, op);
  p.batch_parts = at.batch < out.size() ? out[at.batch] : 1;
  p.m_parts = out[at.m] / at.granule_m;
  p.n_parts = out[at.n];
}

void set_window(TilingProblem& p, const Plan& plan, const Operator& op) {
  const Window window = window_of(plan.graph, op);
  p.pad_h = window.axes[0].pad_begin + window.axes[0].pad_end;
  p.pad_w = window.axes[1].pad_begin + window.axes[1].pad_end;
}

}  // namespace

TilingProblem tiling_problem(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const auto part = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  TilingProblem p;
  p.whole = part->shape();
  p.type = plan.tensors[part->tensor_a()].type;
  p.limits = tiling_limits(plan, op, *part);
  const UnitOptions units = unit_options(plan, op, *part);
  p.abreast = op.kind == OpKind::kConv && plan.options.abreast;
  p.on_vector = units.on_vector && !units.may_share, p.on_both = units.may_share;
  const DataType stored = plan.tensors[op.output].type;
  p.result_element = bytes_of(stored);
  const int converts = accumulator_type(p.type) == stored ? 0 : 1;
  p.vector_instructions = std::max(static_cast<int>(op.epilogues.size()), converts);
  auto elements = [&](TensorId tensor) { return element_count(plan.graph.tensor(tensor).shape); };
  p.a_batched = p.whole.conv || elements(part->tensor_a()) == p.whole.batches * p.whole.m * p.whole.k;
  p.b_batched = p.whole.conv || elements(part->tensor_b()) == p.whole.batches * p.whole.k * p.whole.n;
  set_parts(p, plan, op);
  if (p.whole.conv) set_window(p, plan, op);
  set_chip(p, plan.hardware, plan.cores());
  set_energy(p, plan.hardware, mac_count(plan.graph, op));
  return p;
}

}  // namespace tilewright
