#include "planner/emit/caching.h"

#include "planner/ir/requirement.h"

namespace tilewright {

bool worth_caching(const Plan& plan, OperatorId id, std::size_t item, std::size_t input) {
  const Hardware& hardware = plan.hardware;
  if (!hardware.has_cluster_cache()) return false;
  const Operator& op = plan.graph.op(id);
  const auto& items = plan.operators[id].split.items;
  const BoxRange mine = required_input(plan, op, input, items[item]);
  for (std::size_t other = 0; other < items.size(); ++other)
    if (other != item && hardware.cluster_of(items[other].core) == hardware.cluster_of(items[item].core) &&
        overlap(mine, required_input(plan, op, input, items[other])))
      return true;
  return false;
}

}  // namespace tilewright
