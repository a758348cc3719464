#include "planner/passes/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/passes/contraction.h"
#include "planner/passes/requirement.h"
#include "planner/passes/types.h"
#include "sim/base/error.h"
#include "sim/hw/matmul_timing.h"

namespace tilewright {
namespace {

using Parts = std::vector<std::int64_t>;  // per dimension of the output

// Bytes per core clock that one core gets when all load at once.
double bandwidth_share(const Hardware& hardware) {
  const double per_clock =
      hardware.dram.peak_bytes_per_second() * static_cast<double>(hardware.core_clock.period_ps) * 1e-12;
  return per_clock / hardware.cores();
}

// The larger of compute and load time of the largest part, cycles.
double part_cycles(const Plan& plan, const Contraction& part) {
  const GemmShape& s = part.shape();
  const DataType type = plan.tensors[part.tensor_a()].type;
  Cycles compute = kNeverCycle;
  for (const bool a_stationary : {false, true})
    compute = std::min(compute, array_time(plan.hardware.core.matmul, {.m = s.m,
                                                                       .n = s.n,
                                                                       .k = s.k,
                                                                       .a_stationary = a_stationary,
                                                                       .type = type,
                                                                       .kernel = s.conv ? s.conv->kernel() : 1})
                                    .occupancy);
  const double b =
      s.conv
          ? static_cast<double>(s.conv->input_elements(s.conv->images, s.conv->rows, s.conv->columns, s.conv->channels))
          : static_cast<double>(s.n) * static_cast<double>(s.k);
  const double elements = static_cast<double>(s.m) * static_cast<double>(s.k + s.n) + b;
  const double load = elements * bytes_of(type) / bandwidth_share(plan.hardware);
  return static_cast<double>(s.batches) * (std::max(static_cast<double>(compute), load) + 1e-3 * load);
}

// The grid of parts over batch, m and n with the fastest slowest part; ties go to more parts in batch, then m.
Parts contraction_parts(const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const Directions at = directions_of(plan, op);
  const std::int64_t cores = plan.hardware.cores();
  const std::int64_t batch = at.batch < out.size() ? out[at.batch] : 1;
  Parts best;
  double best_cycles = 0;
  for (std::int64_t pb = std::min(batch, cores); pb >= 1; --pb)
    for (std::int64_t pm = std::min(out[at.m] / at.granule_m, cores / pb); pm >= 1; --pm) {
      Parts parts(out.size(), 1);
      if (at.batch < out.size()) parts[at.batch] = pb;
      parts[at.m] = pm;
      parts[at.n] = std::min(out[at.n], cores / pb / pm);
      BoxRange largest = whole_box(out);
      for (std::size_t d = 0; d < out.size(); ++d)
        largest[d].end = std::min(
            out[d], ceil_div(out[d], parts[d] * (d == at.m ? at.granule_m : 1)) * (d == at.m ? at.granule_m : 1));
      const double cycles = part_cycles(plan, *make_contraction(plan, op, largest));
      if (best.empty() || cycles < best_cycles) best = parts, best_cycles = cycles;
    }
  return best;
}

// Dimensions that must stay whole in one part, because elements along them depend on each other or to keep long runs.
std::vector<bool> whole_dimensions(const Operator& op, std::size_t rank) {
  std::vector<bool> whole(rank, false);
  if (op.kind == OpKind::kSoftmax) whole.at(op.attributes.axis) = true;
  if (op.kind == OpKind::kLayerNorm) std::fill(whole.begin() + op.attributes.axis, whole.end(), true);
  return whole;
}

// The outermost dimension with an element for every core, else as many outer dimensions as it takes.
Parts outer_parts(const Shape& shape, const std::vector<bool>& whole, std::int64_t cores) {
  Parts parts(shape.size(), 1);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!whole[d] && shape[d] >= cores) {
      parts[d] = cores;
      return parts;
    }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (whole[d]) continue;
    parts[d] = std::min(shape[d], cores);
    cores /= parts[d];
  }
  return parts;
}

std::string describe(const Shape& shape, const Parts& parts) {
  std::string text = "parts";
  for (std::size_t d = 0; d < parts.size(); ++d)
    text += fmt::format("{} {}/{}", d == 0 ? "" : " x", shape[d], parts[d]);
  return text;
}

// Why a core cannot compute `box` of the operator's output by itself; empty when it can.
std::string box_fault(const Plan& plan, const Operator& op, const BoxRange& box) {
  const Shape& shape = plan.graph.tensor(op.output).shape;
  if (box.size() != shape.size()) return fmt::format("a part of {} dimensions for {}", box.size(), to_string(shape));
  const std::vector<bool> whole = whole_dimensions(op, shape.size());
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].size() <= 0) return "an empty part";
    if (box[d].begin < 0 || box[d].end > shape[d]) return fmt::format("a part outside {}", to_string(shape));
    if (whole[d] && box[d].size() != shape[d]) return fmt::format("a part that cuts dimension {}", d);
  }
  if (!is_contraction(op.kind)) return "";
  const Directions at = directions_of(plan, op);
  const bool cut = box[at.m].begin % at.granule_m != 0 || box[at.m].end % at.granule_m != 0;
  return cut ? "a part that cuts a group" : "";
}

// Why `split` does not give every element of the output to one core; empty when it does.
std::string split_fault(const Plan& plan, const Operator& op, const Split& split) {
  std::int64_t covered = 0;
  std::vector<bool> busy(plan.hardware.cores(), false);
  for (std::size_t i = 0; i < split.items.size(); ++i) {
    const WorkItem& item = split.items[i];
    if (item.core < 0 || item.core >= plan.hardware.cores()) return fmt::format("there is no core {}", item.core);
    if (busy[item.core]) return fmt::format("core {} has two parts", item.core);
    busy[item.core] = true;
    if (std::string fault = box_fault(plan, op, item.output); !fault.empty()) return fault;
    std::int64_t elements = 1;
    for (const Range& range : item.output) elements *= range.size();
    covered += elements;
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(item.output, split.items[j].output)) return fmt::format("parts {} and {} overlap", j, i);
  }
  return covered == element_count(plan.graph.tensor(op.output).shape) ? "" : "the parts leave gaps";
}

void split_operator(Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  Split& split = plan.operators[id].split;
  if (op.kind == OpKind::kReshape) {
    split.reason = "an alias";
    return;
  }
  if (const OperatorChoice* choice = plan.options.choice_of(id); choice && !choice->split.items.empty()) {
    const std::string fault = split_fault(plan, op, choice->split);
    if (!fault.empty()) throw UserError(fmt::format("split chosen for '{}'", op.name), fault);
    split = choice->split;
    return;
  }
  const Shape& shape = plan.graph.tensor(op.output).shape;
  std::vector<std::int64_t> granule(shape.size(), 1);
  Parts parts;
  if (is_contraction(op.kind)) {
    parts = contraction_parts(plan, op);
    granule[directions_of(plan, op).m] = directions_of(plan, op).granule_m;
  } else {
    parts = outer_parts(shape, whole_dimensions(op, shape.size()), plan.hardware.cores());
  }
  int core = 0;
  for (BoxRange& box : cut_grid(shape, parts, granule)) split.items.push_back({core++, std::move(box)});
  split.reason = describe(shape, parts);
}

}  // namespace

Directions directions_of(const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  if (op.kind == OpKind::kConv) return {0, 1, 2, op.attributes.groups > 1 ? out[1] / op.attributes.groups : 1};
  const std::size_t rank = out.size();
  std::size_t batch = rank;  // none
  for (std::size_t d = 0; d + 2 < rank; ++d)
    if (batch == rank && out[d] > 1) batch = d;
  return {batch, rank - 2, rank - 1, 1};
}

std::vector<BoxRange> cut_grid(const Shape& shape, const std::vector<std::int64_t>& parts,
                               const std::vector<std::int64_t>& granule) {
  std::vector<BoxRange> boxes{{}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t grain = granule.empty() ? 1 : granule[d], grains = ceil_div(shape[d], grain);
    std::vector<BoxRange> next;
    for (const BoxRange& box : boxes)
      for (std::int64_t i = 0; i < parts[d]; ++i) {
        BoxRange longer = box;
        longer.push_back({i * grains / parts[d] * grain, std::min(shape[d], (i + 1) * grains / parts[d] * grain)});
        next.push_back(std::move(longer));
      }
    boxes = std::move(next);
  }
  return boxes;
}

void split(Plan& plan) {
  plan.order = plan.graph.topological_order();
  plan.operators.assign(plan.graph.operators().size(), {});
  assign_types(plan);
  for (const OperatorId id : plan.order) split_operator(plan, id);
}

void verify_split(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (op.kind == OpKind::kReshape) continue;
    const std::string fault = split_fault(plan, op, plan.operators[id].split);
    SIM_CHECK(fault.empty(), "split of '{}': {}", op.name, fault);
  }
}

}  // namespace tilewright
