#include "planner/passes/lower/lower.h"

#include "planner/passes/lower/contraction.h"
#include "planner/passes/requirement.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::vector<Instruction> lower_item(const Plan& plan, OperatorId id, std::size_t item) {
  switch (plan.graph.op(id).kind) {
    case OpKind::kMatMul:
    case OpKind::kConv:
      return lower_contraction(plan, id, item);
    case OpKind::kSoftmax:
    case OpKind::kLayerNorm:
      return lower_rows(plan, id, item);
    case OpKind::kReduceMean:
      return lower_reduce(plan, id, item);
    case OpKind::kMaxPool:
    case OpKind::kAveragePool:
      return lower_pool(plan, id, item);
    case OpKind::kTranspose:
    case OpKind::kConcat:
    case OpKind::kSlice:
    case OpKind::kGather:
      return lower_movement(plan, id, item);
    default:
      return lower_elementwise(plan, id, item);
  }
}

}  // namespace

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

void lower(Plan& plan) {
  for (const OperatorId id : plan.order) {
    OperatorPlan& planned = plan.operators[id];
    planned.streams.assign(plan.hardware.cores(), {});
    for (std::size_t item = 0; item < planned.split.items.size(); ++item)
      planned.streams[planned.split.items[item].core] = lower_item(plan, id, item);
  }
}

void verify_lower(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const OperatorPlan& planned = plan.operators[id];
    for (const WorkItem& item : planned.split.items)
      SIM_CHECK(!planned.streams[item.core].empty(), "'{}' has no instructions on core {}", plan.graph.op(id).name,
                item.core);
    for (const auto& stream : planned.streams)
      for (const Instruction& instruction : stream) {
        SIM_CHECK(instruction.op == program_operator(id), "an instruction of '{}' names another",
                  plan.graph.op(id).name);
        SIM_CHECK(instruction.waits.count == 0 && instruction.posts.count == 0, "'{}' has tokens before linking",
                  plan.graph.op(id).name);
      }
  }
}

}  // namespace tilewright
