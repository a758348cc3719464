#include "planner/passes/reduce_partials/reduce_partials.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ir/partials.h"
#include "planner/ir/region_allocator.h"
#include "sim/base/error.h"
#include "sim/isa/chip_map.h"

namespace tilewright {
namespace {

class ReductionPlanner {
 public:
  explicit ReductionPlanner(Plan& plan)
      : plan_(plan), map_(plan.hardware), dram_(plan), cluster_used_(plan.hardware.clusters, 0) {}

  void plan_operator(OperatorId id) {
    std::vector<PartialPlan>& partials = plan_.operators[id].partials;
    partials = partial_plans(plan_, id);
    if (partials.empty()) return;
    if (plan_.operators[id].labels.output.store.level == StoreLevel::kCluster) {
      if (const auto places = places_in_clusters(plan_, id, partials, cluster_used_)) return store_to(id, *places);
      meet_in_dram(id);
    }
    const RegionAllocator before = dram_;
    for (std::size_t item = 0; item < partials.size(); ++item)
      if (partials[item].bytes > 0)
        partials[item].place = dram_.allocate(partials[item].bytes, memory_of_partial(plan_, id, item),
                                              fmt::format("partial result {} of '{}'", item, plan_.graph.op(id).name));
    if (partials_in_turn(plan_)) dram_ = before;
  }

 private:
  void store_to(OperatorId id, const std::vector<Address>& places) {
    std::vector<PartialPlan>& partials = plan_.operators[id].partials;
    for (std::size_t item = 0; item < partials.size(); ++item) {
      const int cluster = memory_of_partial(plan_, id, item);
      partials[item].place = {{}, map_.base_of(Space::kCluster, cluster) + places[item], 0, cluster};
    }
  }

  // Cluster memory has no room for them. The label of a result between operators says where the result lies.
  void meet_in_dram(OperatorId id) {
    if (plan_.operators[id].labels.output.reduction == Reduction::kNetwork)
      throw UserError(
          place_of(plan_.graph.op(id)),
          "its partial results are more bytes than clusters have room for, where the network would add them");
    plan_.operators[id].labels.output.store = {};
    const TensorId output = plan_.graph.op(id).output;
    if (plan_.graph.tensor(output).kind == TensorKind::kOutput) plan_.labels[output].dynamic.store = {};
  }

  Plan& plan_;
  const ChipMap map_;
  RegionAllocator dram_;
  std::vector<Bytes> cluster_used_;
};

const PartialPlan::Share* find_share(const PartialPlan& partial, int number) {
  const auto share = std::find_if(partial.shares.begin(), partial.shares.end(),
                                  [&](const PartialPlan::Share& candidate) { return candidate.number == number; });
  return share == partial.shares.end() ? nullptr : &*share;
}

// The item whose core finishes the share that `item` hands on; -1: it is handed on for ever, or to another box.
int root_of_share(const OperatorPlan& op, int item, int number) {
  for (std::size_t steps = 0; steps <= op.partials.size(); ++steps) {
    const PartialPlan::Share* share = find_share(op.partials[item], number);
    if (share == nullptr) return -1;
    if (share->parent < 0) return item;
    if (op.split.items[share->parent].output != op.split.items[item].output) return -1;
    item = share->parent;
  }
  return -1;
}

int first_of_box(const OperatorPlan& op, int item) {
  return static_cast<int>(parts_of_box(op.split.items, item).front());
}

}  // namespace

void reduce_partials(Plan& plan) {
  ReductionPlanner planner(plan);
  for (const OperatorId id : plan.order) planner.plan_operator(id);
}

void verify_reduce_partials(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const OperatorPlan& op = plan.operators[id];
    for (int item = 0; item < std::ssize(op.partials); ++item)
      for (const PartialPlan::Share& share : op.partials[item].shares) {
        const int root = root_of_share(op, item, share.number);
        SIM_CHECK(root >= 0 && root == root_of_share(op, first_of_box(op, item), share.number),
                  "partial results of '{}' form no tree", plan.graph.op(id).name);
      }
  }
}

}  // namespace tilewright
