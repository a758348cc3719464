#include "planner/ir/sharing.h"

#include <algorithm>

#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// What may be loaded for `box`: copies read on through short gaps (emit/copy/copy_tile.h), up to everything between the
// first element and the last.
BoxRange loaded_for(const Operator& op, const Shape& shape, BoxRange box) {
  if (traits_of(op.kind).family != OperatorFamily::kMovement || op.kind == OpKind::kGather) return box;
  const auto many = std::find_if(box.begin(), box.end(), [](const Range& range) { return range.size() > 1; });
  for (auto d = static_cast<std::size_t>(many - box.begin()) + 1; d < box.size(); ++d) box[d] = {0, shape[d]};
  return box;
}

// How far what is exchanged goes: from one cluster to another through memory, unless it lies in that of clusters.
Swap level_of(const Plan& plan, TensorId tensor, bool far) {
  if (!far) return Swap::kCore;
  const auto in_clusters = [&](TensorId storage) { return lies_in_cluster_memory(plan, storage); };
  return std::ranges::all_of(storages_of(plan, tensor), in_clusters) ? Swap::kCluster : Swap::kMem;
}

// Of a tensor that lies there before the run.
Swap shared_reads(const Plan& plan, OperatorId id, std::size_t input) {
  const Operator& op = plan.graph.op(id);
  const auto& items = plan.operators[id].split.items;
  std::vector<BoxRange> boxes;
  for (const WorkItem& item : items) boxes.push_back(required_input(plan, op, input, item));
  Swap swap = Swap::kNo;
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (items[i].core == items[j].core || !overlap(boxes[i], boxes[j])) continue;
      const bool far = plan.hardware.cluster_of(items[i].core) != plan.hardware.cluster_of(items[j].core);
      if (far) return Swap::kMem;
      swap = Swap::kCore;
    }
  return swap;
}

}  // namespace

std::vector<Crossing> crossings(const Plan& plan, OperatorId id, OperatorId producer, std::size_t input) {
  const Operator& op = plan.graph.op(id);
  const TensorId tensor = all_inputs(op)[input];
  const auto& writers = plan.operators[producer].split.items;
  const bool alike = seen_alike(plan, tensor, plan.graph.op(producer).output);
  std::vector<Crossing> found;
  for (const WorkItem& reader : plan.operators[id].split.items) {
    const BoxRange box = loaded_for(op, plan.graph.tensor(tensor).shape, required_input(plan, op, input, reader));
    bool crosses = false, far = false;
    for (const WorkItem& writer : writers) {
      if (far || writer.core == reader.core || (alike && !overlap(box, writer.output))) continue;
      crosses = true;
      far = plan.hardware.cluster_of(writer.core) != plan.hardware.cluster_of(reader.core);
    }
    if (crosses) found.push_back({reader.core, far});
  }
  return found;
}

Swap needed_swap(const Plan& plan, OperatorId id, std::size_t input) {
  const TensorId tensor = all_inputs(plan.graph.op(id))[input];
  if (stays_on_core(plan, tensor)) return Swap::kNo;
  const std::vector<OperatorId> writers = writers_of(plan, tensor);
  if (writers.empty()) return shared_reads(plan, id, input);
  Swap swap = Swap::kNo;
  for (const OperatorId writer : writers)
    for (const Crossing& crossing : crossings(plan, id, writer, input))
      swap = std::max(swap, level_of(plan, tensor, crossing.far));
  return swap;
}

std::vector<Swap> most_swaps(const Plan& plan) {
  std::vector<Swap> most(plan.tensors.size(), Swap::kNo);
  const auto raise = [&](TensorId tensor, Swap swap) {
    for (const TensorId storage : storages_of(plan, tensor)) most[storage] = std::max(most[storage], swap);
    Swap& of_whole = most[storage_of(plan, tensor)];
    of_whole = std::max(of_whole, swap);
  };
  for (const OperatorId id : plan.order) {
    const OperatorLabels& labels = plan.operators[id].labels;
    const auto inputs = all_inputs(plan.graph.op(id));
    for (std::size_t input = 0; input < labels.inputs.size(); ++input) raise(inputs[input], labels.inputs[input].swap);
    raise(plan.graph.op(id).output, labels.output.swap);
  }
  return most;
}

}  // namespace tilewright
