#include "planner/passes/reduce_partials/reduce_partials.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ir/partials.h"
#include "planner/ir/region_allocator.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class ReductionPlanner {
 public:
  explicit ReductionPlanner(Plan& plan) : plan_(plan), dram_(plan), cluster_used_(plan.hardware.clusters, 0) {}

  void plan_operator(OperatorId id) {
    plan_.operators[id].partials = partial_tree(plan_, id);
    for (int item = 0; item < std::ssize(plan_.operators[id].partials); ++item) reserve(id, item);
  }

 private:
  int cluster_of(const WorkItem& item) const { return plan_.hardware.cluster_of(item.core); }

  void reserve(OperatorId id, int index) {
    const auto& items = plan_.operators[id].split.items;
    PartialPlan& partial = plan_.operators[id].partials[index];
    if (partial.parent < 0) return;
    const int mine = cluster_of(items[index]), reader = cluster_of(items[partial.parent]);
    const std::string name = fmt::format("partial result {} of '{}'", index, plan_.graph.op(id).name);
    const bool wanted = plan_.operators[id].labels.output.store.level == StoreLevel::kCluster;
    const auto room = room_for_partial(plan_.hardware, cluster_used_[mine], partial.bytes);
    if (wanted && room) {
      partial.space = Space::kCluster;
      partial.address = *room;
      cluster_used_[mine] = *room + partial.bytes;
      if (reader != mine)
        partial.copy = dram_.allocate(partial.bytes, plan_.hardware.local_region(reader), name).address;
    } else {
      const PlacedPiece piece = dram_.allocate(partial.bytes, plan_.hardware.local_region(mine), name);
      partial.address = piece.address;
      partial.region = piece.region;
    }
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
