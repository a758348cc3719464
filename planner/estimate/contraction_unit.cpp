#include "planner/estimate/contraction_unit.h"

#include <algorithm>

#include "planner/constants/constants.h"
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

Unit compute_unit(const Plan& plan, const Operator& op) {
  const bool grouped = op.kind == OpKind::kConv && op.attributes.groups > 1;
  if (!grouped && op.kind != OpKind::kMatMulNBits) return Unit::kMatmul;
  const auto whole = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  const GemmShape& shape = whole->shape();
  const CoreSpec& core = plan.hardware.core;
  const DataType type = plan.tensors[whole->tensor_a()].type;
  double beside = lane_time(core.vector, results_of(shape), static_cast<double>(epilogue_passes(plan, op)));
  if (whole->packed())
    beside += lane_time(core.vector, static_cast<double>(shape.n) * static_cast<double>(shape.k),
                        expansion_passes(core.vector, type));
  const double issue = static_cast<double>(shape.batches * core.matmul.issue_cycles);
  const double array = issue + time_on_array(core.matmul, type, shape);
  // The vector unit works beside the array while that computes another tile.
  return vector_time(core.vector, shape) + beside < std::max(array, beside) ? Unit::kVector : Unit::kMatmul;
}

}  // namespace tilewright
