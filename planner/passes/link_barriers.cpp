#include "planner/passes/link_barriers.h"

#include <algorithm>

#include "planner/passes/access.h"
#include "planner/passes/requirement.h"

namespace tilewright {
namespace {

// Cores that read of the operator's input what others wrote.
std::vector<int> cores_that_cross(const Plan& plan, OperatorId id, OperatorId producer, std::size_t input) {
  const Operator& op = plan.graph.op(id);
  const TensorId tensor = all_inputs(op)[input];
  const auto& writers = plan.operators[producer].split.items;
  const bool same_shape = plan.graph.tensor(tensor).shape == plan.graph.tensor(plan.graph.op(producer).output).shape;
  std::vector<int> cores;
  for (const WorkItem& reader : plan.operators[id].split.items) {
    const BoxRange box = required_input(plan, op, input, reader);
    if (std::any_of(writers.begin(), writers.end(), [&](const WorkItem& writer) {
          return writer.core != reader.core && (!same_shape || overlap(box, writer.output));
        }))
      cores.push_back(reader.core);
  }
  return cores;
}

void add_pieces(const Plan& plan, TensorId storage, int barrier, std::vector<RemoteRange>& ranges) {
  const Shape& shape = plan.graph.tensor(storage).shape;
  const TensorPlan& placed = plan.tensors[storage];
  for (const PlacedPiece& piece : placed.pieces)
    ranges.push_back({piece.address, piece.address + piece_bytes(placed, shape, piece), barrier});
}

}  // namespace

BarrierPlan::BarrierPlan(const Plan& plan) : plan_(plan), position_(plan.operators.size(), -1) {
  for (std::size_t at = 0; at < plan.order.size(); ++at) position_[plan.order[at]] = static_cast<int>(at);
}

int BarrierPlan::barrier_after(int position) const {
  return static_cast<int>(std::upper_bound(barriers_.begin(), barriers_.end(), position) - barriers_.begin());
}

Exchange BarrierPlan::next(OperatorId id) {
  Exchange exchange{false, std::vector<std::vector<RemoteRange>>(plan_.hardware.cores())};
  const auto inputs = all_inputs(plan_.graph.op(id));
  const int known = static_cast<int>(barriers_.size());
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const TensorId storage = storage_of(plan_, inputs[input]);
    const auto producer = plan_.graph.tensor(storage).producer;
    if (!producer) continue;
    const auto cores = cores_that_cross(plan_, id, *producer, input);
    const int barrier = barrier_after(position_[*producer]);
    exchange.barrier |= !cores.empty() && barrier == known;
    for (const int core : cores) add_pieces(plan_, storage, barrier, exchange.remote[core]);
  }
  if (exchange.barrier) barriers_.push_back(position_[id]);
  return exchange;
}

}  // namespace tilewright
