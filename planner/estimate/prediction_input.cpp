#include "planner/estimate/prediction_input.h"

#include <algorithm>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/axes.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/partials.h"
#include "planner/ir/pointwise.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

// Passes over the vector unit's lanes that each result of a product costs; without epilogues its conversion.
std::int64_t epilogue_passes(const Plan& plan, const Operator& op) {
  const VectorSpec& spec = plan.hardware.core.vector;
  std::int64_t passes = op.epilogues.empty() ? spec.simple_passes : 0;
  for (const Epilogue& epilogue : op.epilogues)
    passes += passes_of(spec, pointwise(epilogue.kind, epilogue.attributes).op);
  return passes;
}

}  // namespace

TilingLimits tiling_limits(const Plan& plan, const Operator& op, const Contraction& part) {
  const CoreSpec& core = plan.hardware.core;
  const DataType type = plan.tensors[part.tensor_a()].type;
  TilingLimits limits;
  limits.d_s = bytes_of(type);
  limits.acc_element = bytes_of(accumulator_type(type));
  limits.mata_bw = limits.matb_bw =
      bandwidth_share(plan.hardware, plan.hardware.cores()) / 2;  // A and B share the way in
  limits.b_s1 = core.buffer_a;
  limits.b_s2 = core.buffer_b;
  limits.acc_buffer_max = core.accumulator - (part.partial() ? partial_area(plan.hardware) : 0);
  limits.hw_power = macs_per_cycle(core.matmul, type) * static_cast<double>(limits.d_s);
  limits.sync_granularity = core.matmul.sync_granularity;
  limits.block_size_m = std::max(1, core.matmul.block_m);
  limits.block_size_n = std::max(1, core.matmul.block_n);
  for (const Epilogue& epilogue : op.epilogues) {
    const EpilogueForm form = form_of(plan.graph, epilogue);
    if (form == EpilogueForm::kUnary || form == EpilogueForm::kScalar) continue;
    Bytes& area = form == EpilogueForm::kElement ? limits.acc_bytes_per_element
                  : part.epilogue_per_row()      ? limits.acc_bytes_per_row
                                                 : limits.acc_bytes_per_column;
    area += bytes_of(plan.tensors[*epilogue.operand].type);
  }
  return limits;
}

PredictionInput prediction_input(const Plan& plan, const Operator& op, const Contraction& part, std::size_t cores) {
  const Tensor& b = plan.graph.tensor(part.tensor_b());
  const bool packed = b.kind == TensorKind::kConstant && b.consumers.size() == 1;  // placed partition by partition
  return {.hardware = plan.hardware,
          .part = part,
          .limits = tiling_limits(plan, op, part),
          .type = plan.tensors[part.tensor_a()].type,
          .bandwidth = bandwidth_share(plan.hardware, static_cast<int>(cores)),
          .vector_passes = epilogue_passes(plan, op),
          .reduction = reduction_length(plan.graph, op),
          .row_of_b = packed ? 0 : b.shape.back()};
}

}  // namespace tilewright
