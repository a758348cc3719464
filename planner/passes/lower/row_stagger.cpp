#include "planner/passes/lower/row_stagger.h"

#include <iterator>
#include <set>

#include "planner/ir/directions.h"

namespace tilewright {
namespace {

// In the order in which cores begin with later tiles: one of each cluster, then the next of each.
int turn_of(const Hardware& hardware, int core) {
  return core % hardware.cores_per_cluster * hardware.clusters + hardware.cluster_of(core);
}

}  // namespace

std::size_t first_row_tile(const Plan& plan, OperatorId id, std::size_t item, std::size_t tiles) {
  if (!plan.operators[id].tilings[item].rows_apart) return 0;
  const std::size_t m = directions_of(plan, plan.graph.op(id)).m;
  const auto& items = plan.operators[id].split.items;
  std::set<int> turns;
  for (const WorkItem& other : items)
    if (other.output[m] == items[item].output[m] && other.k == items[item].k)
      turns.insert(turn_of(plan.hardware, other.core));
  const auto turn = turns.find(turn_of(plan.hardware, items[item].core));
  return static_cast<std::size_t>(std::distance(turns.begin(), turn)) * tiles / turns.size();
}

}  // namespace tilewright
