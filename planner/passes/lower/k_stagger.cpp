#include "planner/passes/lower/k_stagger.h"

#include "planner/estimate/bandwidth.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

// Whether an operand has several rows with K inside. Weights of a convolution have one for each filter.
bool has_rows_of_k(const Operator& op, const GemmShape& shape) {
  if (op.kind == OpKind::kConv) return shape.m > 1;
  return (!op.attributes.transpose_a && shape.m > 1) || (op.attributes.transpose_b && shape.n > 1);
}

// Pseudo channels by themselves.
bool lies_in_all_channels(DramSpec dram, Bytes run, Bytes row) {
  dram.channels *= dram.pseudo_channels;
  return channel_share(dram, run, row) == 1;
}

}  // namespace

std::size_t first_k_step(const Plan& plan, OperatorId id, std::size_t item) {
  const Operator& op = plan.graph.op(id);
  const WorkItem& work = plan.operators[id].split.items[item];
  const Tiling& tiling = plan.operators[id].tilings[item];
  const auto part = make_contraction(plan, op, work);
  const Bytes element = bytes_of(plan.tensors[part->tensor_a()].type);
  const Bytes run = tiling.partition_k * element, row = reduction_length(plan.graph, op) * element;
  if (!has_rows_of_k(op, part->shape()) || lies_in_all_channels(plan.hardware.dram, run, row)) return 0;
  return static_cast<std::size_t>(plan.hardware.load_group(work.core) % ceil_div(part->shape().k, tiling.partition_k));
}

}  // namespace tilewright
