#include "planner/passes/reduce_partials/reduce_partials.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/contraction.h"
#include "planner/ir/region_allocator.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class ReductionPlanner {
 public:
  explicit ReductionPlanner(Plan& plan) : plan_(plan), dram_(plan), cluster_used_(plan.hardware.clusters, 0) {}

  void plan_operator(OperatorId id) {
    const auto& items = plan_.operators[id].split.items;
    if (std::all_of(items.begin(), items.end(), [](const WorkItem& item) { return item.k.size() == 0; })) return;
    plan_.operators[id].partials.resize(items.size());
    for (int item = 0; item < static_cast<int>(items.size()); ++item) join_tree(id, item);
    for (int item = 0; item < static_cast<int>(items.size()); ++item) reserve(id, item);
  }

 private:
  int cluster_of(const WorkItem& item) const { return plan_.hardware.cluster_of(item.core); }

  // The first part of the same box is the root; the first of it in a cluster adds up that cluster's.
  void join_tree(OperatorId id, int index) {
    const auto& items = plan_.operators[id].split.items;
    auto& partials = plan_.operators[id].partials;
    const WorkItem& item = items[index];
    const auto same_box = [&](const WorkItem& other) { return other.output == item.output; };
    const auto same_cluster = [&](const WorkItem& other) {
      return same_box(other) && cluster_of(other) == cluster_of(item);
    };
    const int root = static_cast<int>(std::find_if(items.begin(), items.end(), same_box) - items.begin());
    const int first = static_cast<int>(std::find_if(items.begin(), items.end(), same_cluster) - items.begin());
    partials[index].parent = index != first ? first : first != root ? root : -1;
    if (partials[index].parent >= 0) partials[partials[index].parent].children.push_back(index);
  }

  void reserve(OperatorId id, int index) {
    const Operator& op = plan_.graph.op(id);
    const auto& items = plan_.operators[id].split.items;
    PartialPlan& partial = plan_.operators[id].partials[index];
    if (partial.parent < 0) return;
    const auto part = make_contraction(plan_, op, items[index]);
    const DataType type = accumulator_type(plan_.tensors[part->tensor_a()].type);
    partial.bytes = part->shape().batches * part->shape().m * part->shape().n * bytes_of(type);
    const int mine = cluster_of(items[index]), reader = cluster_of(items[partial.parent]);
    const std::string name = fmt::format("partial result {} of '{}'", index, op.name);
    const Store& store = plan_.operators[id].labels.output.store;
    if (store.level == StoreLevel::kCluster && fits_cluster(mine, partial.bytes)) {
      partial.space = Space::kCluster;
      partial.address = take_cluster(mine, partial.bytes);
      if (reader != mine)
        partial.copy = dram_.allocate(partial.bytes, plan_.hardware.local_region(reader), name).address;
    } else {
      const PlacedPiece piece = dram_.allocate(partial.bytes, plan_.hardware.local_region(mine), name);
      partial.address = piece.address;
      partial.region = piece.region;
    }
  }

  bool fits_cluster(int cluster, Bytes bytes) const {
    const auto& memory = plan_.hardware.cluster_memory;
    return memory &&
           round_up(cluster_used_[cluster], constants().buffer_alignment) + bytes <= memory->addressed_capacity();
  }
  Address take_cluster(int cluster, Bytes bytes) {
    const Address address = round_up(cluster_used_[cluster], constants().buffer_alignment);
    cluster_used_[cluster] = address + bytes;
    return address;
  }

  Plan& plan_;
  RegionAllocator dram_;
  std::vector<Bytes> cluster_used_;
};

}  // namespace

void reduce_partials(Plan& plan) {
  ReductionPlanner planner(plan);
  for (const OperatorId id : plan.order) planner.plan_operator(id);
}

void verify_reduce_partials(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const auto& partials = plan.operators[id].partials;
    const auto& items = plan.operators[id].split.items;
    for (std::size_t i = 0; i < partials.size(); ++i) {
      if (items[i].k.size() == 0) continue;
      std::size_t at = i, steps = 0;
      for (; partials[at].parent >= 0; at = partials[at].parent)
        SIM_CHECK(++steps <= partials.size() && items[partials[at].parent].output == items[i].output,
                  "partial results of '{}' form no tree", plan.graph.op(id).name);
    }
  }
}

}  // namespace tilewright
