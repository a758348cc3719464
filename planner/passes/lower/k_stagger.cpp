#include "planner/passes/lower/k_stagger.h"

#include <algorithm>

#include "planner/estimate/bandwidth.h"
#include "planner/ir/access.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

// Operands of several rows with K inside. Weights of a convolution have one for each filter.
std::vector<TensorId> with_rows_of_k(const Operator& op, const Contraction& part) {
  std::vector<TensorId> operands;
  const bool conv = op.kind == OpKind::kConv;
  if (part.shape().m > 1 && (conv || !op.attributes.transpose_a)) operands.push_back(part.tensor_a());
  if (part.shape().n > 1 && !conv && op.attributes.transpose_b) operands.push_back(part.tensor_b());
  return operands;
}

// Elements behind each of its rows.
std::int64_t gap_of(const Plan& plan, TensorId tensor) {
  const auto& pieces = plan.tensors[storages_of(plan, tensor).front()].pieces;
  return pieces.empty() ? 0 : pieces.front().gap;
}

// Pseudo channels by themselves.
bool lies_in_all_channels(DramSpec dram, Bytes run, Bytes pitch) {
  dram.channels *= dram.pseudo_channels;
  return channel_share(dram, run, pitch) == 1;
}

}  // namespace

std::size_t first_k_step(const Plan& plan, OperatorId id, std::size_t item) {
  const Operator& op = plan.graph.op(id);
  const WorkItem& work = plan.operators[id].split.items[item];
  const Tiling& tiling = plan.operators[id].tilings[item];
  const auto part = make_contraction(plan, op, work);
  const Bytes element = bytes_of(plan.tensors[part->tensor_a()].type);
  const Bytes run = tiling.partition_k * element, row = reduction_length(plan.graph, op) * element;
  const auto lies_well = [&](TensorId operand) {
    return lies_in_all_channels(plan.hardware.dram, run, row + gap_of(plan, operand) * element);
  };
  if (std::ranges::all_of(with_rows_of_k(op, *part), lies_well)) return 0;
  return static_cast<std::size_t>(plan.hardware.load_group(work.core) % ceil_div(part->shape().k, tiling.partition_k));
}

}  // namespace tilewright
