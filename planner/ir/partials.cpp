#include "planner/ir/partials.h"

#include <algorithm>

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

int cluster_of(const Plan& plan, const WorkItem& item) { return plan.hardware.cluster_of(item.core); }

// The first part of the same box is the root; the first of it in a cluster adds up that cluster's.
int parent_of(const Plan& plan, const std::vector<WorkItem>& items, int index) {
  const WorkItem& item = items[index];
  const auto same_box = [&](const WorkItem& other) { return other.output == item.output; };
  const auto same_cluster = [&](const WorkItem& other) {
    return same_box(other) && cluster_of(plan, other) == cluster_of(plan, item);
  };
  const int root = static_cast<int>(std::find_if(items.begin(), items.end(), same_box) - items.begin());
  const int first = static_cast<int>(std::find_if(items.begin(), items.end(), same_cluster) - items.begin());
  return index != first ? first : first != root ? root : -1;
}

Bytes partial_bytes(const Plan& plan, const Operator& op, const WorkItem& item) {
  const auto part = make_contraction(plan, op, item);
  const GemmShape& shape = part->shape();
  return shape.batches * shape.m * shape.n * bytes_of(accumulator_type(plan.tensors[part->tensor_a()].type));
}

}  // namespace

std::vector<PartialPlan> partial_tree(const Plan& plan, OperatorId id) {
  const auto& items = plan.operators[id].split.items;
  if (std::all_of(items.begin(), items.end(), [](const WorkItem& item) { return item.k.size() == 0; })) return {};
  std::vector<PartialPlan> partials(items.size());
  for (int index = 0; index < static_cast<int>(items.size()); ++index) {
    PartialPlan& partial = partials[index];
    partial.parent = parent_of(plan, items, index);
    if (partial.parent < 0) continue;
    partials[partial.parent].children.push_back(index);
    partial.bytes = partial_bytes(plan, plan.graph.op(id), items[index]);
  }
  return partials;
}

std::optional<Address> room_for_partial(const Hardware& hardware, Bytes used, Bytes bytes) {
  const Address address = round_up(used, constants().buffer_alignment);
  const bool fits = hardware.cluster_memory && address + bytes <= hardware.cluster_memory->addressed_capacity();
  return fits ? std::optional(address) : std::nullopt;
}

std::vector<Bytes> partial_room(const Plan& plan) {
  std::vector<Bytes> used(plan.hardware.clusters, 0);
  for (const OperatorId id : plan.order) {
    if (plan.operators[id].labels.output.store.level != StoreLevel::kCluster) continue;
    const auto partials = partial_tree(plan, id);
    for (std::size_t i = 0; i < partials.size(); ++i) {
      if (partials[i].parent < 0) continue;
      Bytes& taken = used[cluster_of(plan, plan.operators[id].split.items[i])];
      if (const auto address = room_for_partial(plan.hardware, taken, partials[i].bytes))
        taken = *address + partials[i].bytes;
    }
  }
  return used;
}

}  // namespace tilewright
