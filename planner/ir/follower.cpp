#include "planner/ir/follower.h"

#include "planner/ir/element_types.h"

namespace tilewright {
namespace {

constexpr std::size_t kImageRank = 4, kAlong = 3;

bool is_mean_of_rows(const Operator& op) {
  return op.kind == OpKind::kReduceMean && op.attributes.keepdims && op.attributes.levels.empty() &&
         op.attributes.axes == std::vector<std::int64_t>{kAlong};
}

}  // namespace

std::optional<OperatorId> may_follow(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (!is_mean_of_rows(op) || plan.options.group == Grouping::kNone || plan.options.parallel != Parallel::kFree ||
      plan.options.choice_of(id) != nullptr)
    return std::nullopt;
  const Tensor& rows = plan.graph.tensor(op.inputs[0]);
  if (!rows.producer || rows.shape.size() != kImageRank || rows.shape[kAlong] < 2) return std::nullopt;
  const Operator& leader = plan.graph.op(*rows.producer);
  const bool beside = 2 * bytes_of(plan.tensors[leader.output].type) <= bytes_of(DataType::kFp32);
  return leader.kind == OpKind::kConv && beside && !multiplies_int8(plan, leader) ? rows.producer : std::nullopt;
}

WorkItem following(const WorkItem& leader) {
  WorkItem item = leader;
  item.output[kAlong] = {0, 1};
  return item;
}

std::vector<OperatorId> followers_of(const Plan& plan, OperatorId leader) {
  std::vector<OperatorId> followers;
  for (const OperatorId reader : plan.graph.tensor(plan.graph.op(leader).output).consumers)
    if (static_cast<std::size_t>(reader) < plan.operators.size() && plan.operators[reader].leader == leader)
      followers.push_back(reader);
  return followers;
}

}  // namespace tilewright
