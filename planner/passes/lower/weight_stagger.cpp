#include "planner/passes/lower/weight_stagger.h"

#include <vector>

#include "planner/emit/walk_turn.h"
#include "planner/ir/directions.h"

namespace tilewright {
namespace {

// Whether two parts use the same weights: they differ in what the other operand has.
bool same_weights(const Plan& plan, const Operator& op, const WorkItem& a, const WorkItem& b) {
  const Directions at = directions_of(plan, op);
  const std::size_t d = op.kind == OpKind::kConv ? at.m : at.n;
  return a.output[d] == b.output[d] && a.k == b.k;
}

}  // namespace

std::size_t first_weight_piece(const Plan& plan, OperatorId id, std::size_t item, std::size_t pieces) {
  const Operator& op = plan.graph.op(id);
  const auto& items = plan.operators[id].split.items;
  std::vector<int> cores;
  for (const WorkItem& other : items)
    if (same_weights(plan, op, items[item], other)) cores.push_back(other.core);
  return walk_turn(plan.hardware, cores, items[item].core).first(pieces);
}

}  // namespace tilewright
