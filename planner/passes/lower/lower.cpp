#include "planner/passes/lower/lower.h"

#include <algorithm>

#include "planner/emit/chain/chain_lowering.h"
#include "planner/emit/window_chain/window_lowering.h"
#include "planner/ir/core_view.h"
#include "planner/ir/group.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::vector<Instruction> lower_group(const Plan& plan, const OperatorGroup& group, std::size_t item) {
  if (walks_windows(plan.graph, group)) return lower_windows(plan, group, item, group.block_rows.at(item));
  return lower_chain(plan, group, item, chosen_blocks(plan, group, item));
}

std::vector<Instruction> lower_item(const Plan& plan, OperatorId id, std::size_t item) {
  const Operator& op = plan.graph.op(id);
  if (const OperatorGroup* group = group_of(plan, id)) return lower_group(plan, *group, item);
  switch (traits_of(op.kind).family) {
    case OperatorFamily::kContraction:
      return lower_contraction(plan, id, item);
    case OperatorFamily::kUnary:
    case OperatorFamily::kBinary:
      return lower_elementwise(plan, id, item);
    case OperatorFamily::kNormalisation:
      return lower_rows(plan, id, item);
    case OperatorFamily::kReduction:
      return lower_reduce(plan, id, item);
    case OperatorFamily::kPool:
      return lower_pool(plan, id, item);
    case OperatorFamily::kMovement:
      return lower_movement(plan, id, item);
    case OperatorFamily::kBatchNorm:  // folded
    case OperatorFamily::kAlias:      // has no work items
      break;
  }
  SIM_CHECK(false, "'{}' ({}) has nothing to lower", op.name, name_of(op.kind));
}

}  // namespace

void lower(Plan& plan) {
  for (const OperatorId id : plan.order) {
    OperatorPlan& planned = plan.operators[id];
    planned.streams.assign(plan.hardware.cores(), {});
    if (root_of(plan, id) != id) continue;
    for (std::size_t item = 0; item < planned.split.items.size(); ++item) {
      const CoreView view(plan, id, planned.split.items[item]);
      planned.streams[planned.split.items[item].core] = lower_item(plan, id, item);
    }
  }
}

void verify_lower(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const OperatorPlan& planned = plan.operators[id];
    const std::vector<OperatorId> computed = computed_by(plan, id);
    for (const WorkItem& item : planned.split.items)
      SIM_CHECK(planned.streams[item.core].empty() == computed.empty(), "'{}' and its instructions on core {}",
                plan.graph.op(id).name, item.core);
    for (const auto& stream : planned.streams)
      for (const Instruction& instruction : stream) {
        SIM_CHECK(std::any_of(computed.begin(), computed.end(),
                              [&](OperatorId member) { return instruction.op == program_operator(member); }),
                  "an instruction of '{}' names another", plan.graph.op(id).name);
        SIM_CHECK(instruction.waits.count == 0 && instruction.posts.count == 0, "'{}' has tokens before linking",
                  plan.graph.op(id).name);
      }
  }
}

}  // namespace tilewright
