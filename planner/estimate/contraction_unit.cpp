#include "planner/estimate/contraction_unit.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/part_time.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/pointwise.h"
#include "planner/ir/requirement.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

bool is_grouped(const GemmShape& shape) { return shape.conv && shape.conv->grouped; }

double results_of(const GemmShape& s) {
  return static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n);
}

// Of all groups one behind the other, with the operand held that makes it shorter.
double time_on_array(const MatmulSpec& spec, DataType type, const GemmShape& s) {
  ArrayWork work{.m = s.m, .n = s.n, .k = s.k, .type = type};
  if (s.conv) work.kernel = s.conv->kernel();
  return static_cast<double>(s.batches) * static_cast<double>(least_occupancy(spec, work));
}

}  // namespace

std::int64_t epilogue_passes(const Plan& plan, const Operator& op) {
  const VectorSpec& spec = plan.hardware.core.vector;
  std::int64_t passes = op.epilogues.empty() ? spec.simple_passes : 0;
  for (const Epilogue& epilogue : op.epilogues)
    passes += passes_of(spec, pointwise(epilogue.kind, epilogue.attributes).op);
  return passes;
}

std::int64_t vector_instructions(const GemmShape& shape) {
  return shape.conv ? shape.conv->images * shape.m * shape.conv->channels : shape.m;
}

double vector_time(const VectorSpec& spec, const GemmShape& shape) {
  const std::int64_t steps = std::min(shape.batches, constants().batch_groups);
  return lane_time(spec, results_of(shape) * static_cast<double>(shape.k), passes_of(spec, VectorOp::kMultiplyAdd)) +
         static_cast<double>(steps * vector_instructions(shape) * spec.issue_cycles);
}

double compute_time(const CoreSpec& core, DataType type, const GemmShape& shape) {
  const double array = time_on_array(core.matmul, type, shape);
  return is_grouped(shape) ? std::min(array, vector_time(core.vector, shape)) : array;
}

namespace {

bool has_groups(const Operator& op) { return op.kind == OpKind::kConv && op.attributes.groups > 1; }

// Of all multiply-adds of a part on one of the units, and what the vector unit does besides.
struct PartTimes {
  double array = 0, vector = 0, beside = 0;
};

PartTimes part_times(const Plan& plan, const Operator& op, const Contraction& part) {
  const GemmShape& shape = part.shape();
  const CoreSpec& core = plan.hardware.core;
  const DataType type = plan.tensors[part.tensor_a()].type;
  double beside = lane_time(core.vector, results_of(shape), static_cast<double>(epilogue_passes(plan, op)));
  if (part.packed())
    beside += lane_time(core.vector, static_cast<double>(shape.n) * static_cast<double>(shape.k),
                        expansion_passes(core.vector, type));
  const double issue = static_cast<double>(shape.batches * core.matmul.issue_cycles);
  return {issue + time_on_array(core.matmul, type, shape), vector_time(core.vector, shape), beside};
}

// One group on the array, as the matmul unit walks its rows of output columns.
MatmulTime group_on_array(const Plan& plan, const Contraction& part) {
  const MatmulSpec& spec = plan.hardware.core.matmul;
  const GemmShape& shape = part.shape();
  ArrayWork work{.m = shape.m, .n = shape.n, .k = shape.k, .type = plan.tensors[part.tensor_a()].type};
  work.kernel = shape.conv->kernel(), work.images = shape.conv->images;
  work.a_stationary = shorter_with_a_held(spec, work);
  work.run = work.a_stationary ? shape.conv->columns : shape.m;
  return matmul_time(spec, work);
}

}  // namespace

bool computes_on_vector(const Plan& plan, const Operator& op) {
  if (!has_groups(op) && op.kind != OpKind::kMatMulNBits) return false;
  const auto whole = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  const PartTimes times = part_times(plan, op, *whole);
  // The vector unit works beside the array while that computes another tile.
  return times.vector + times.beside < std::max(times.array, times.beside);
}

UnitOptions unit_options(const Plan& plan, const Operator& op, const Contraction& part) {
  UnitOptions options{.on_vector = computes_on_vector(plan, op), .may_share = has_groups(op)};
  if (!options.may_share) return options;
  const PartTimes times = part_times(plan, op, part);
  const MatmulTime array = group_on_array(plan, part);
  const auto groups = static_cast<double>(part.shape().batches);
  options.array = static_cast<double>(array.busy);
  options.vector = times.vector / groups, options.beside = times.beside / groups;
  options.memory = moved_cycles(plan, part) / groups;
  options.tail = static_cast<double>(array.fill + array.drain) + options.beside;
  return options;
}

UnitShares unit_shares(const UnitOptions& options, std::int64_t groups, std::int64_t together) {
  UnitShares best{options.on_vector ? together : 0, together};
  if (!options.may_share) return best;
  const double tiles = static_cast<double>(groups) / static_cast<double>(together);
  const double beside = static_cast<double>(together) * options.beside;
  const auto tile_time = [&](std::int64_t on_vector) {
    const double array = static_cast<double>(together - on_vector) * options.array;
    const double vector = static_cast<double>(on_vector) * options.vector + beside;
    return std::max({array, vector, static_cast<double>(together) * options.memory});
  };
  double least = tiles * tile_time(best.on_vector) * (1 - constants().shared_units_gain);
  for (std::int64_t some = 1; some < together; ++some)
    if (const double time = tiles * tile_time(some) + options.tail; time < least) best.on_vector = some, least = time;
  return best;
}

}  // namespace tilewright
