#include "planner/ir/follower.h"

#include <algorithm>

#include "planner/ir/axes.h"
#include "planner/ir/element_types.h"

namespace tilewright {
namespace {

constexpr std::size_t kImageRank = 4;

// In fp32 there is no room for it beside the values.
bool may_follow_conv(const Plan& plan, const Operator& op, const Operator& conv) {
  const bool beside = 2 * bytes_of(plan.tensors[conv.output].type) <= bytes_of(DataType::kFp32);
  return op.kind == OpKind::kReduceMean && plan.graph.tensor(conv.output).shape.size() == kImageRank && beside;
}

bool may_follow_product(const Plan& plan, const Operator& product) {
  return accumulator_type(plan.tensors[product.output].type) == DataType::kFp32;
}

}  // namespace

std::optional<OperatorId> may_follow(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const Tensor& rows = plan.graph.tensor(op.inputs[0]);
  if (!reduces_rows(op, rows.shape) || !op.attributes.levels.empty() || plan.options.group == Grouping::kNone ||
      plan.options.parallel != Parallel::kFree || plan.options.choice_of(id) != nullptr)
    return std::nullopt;
  if (!rows.producer || rows.shape.back() < 2) return std::nullopt;
  const Operator& leader = plan.graph.op(*rows.producer);
  if (!is_contraction(leader.kind) || multiplies_int8(plan, leader)) return std::nullopt;
  const bool may = leader.kind == OpKind::kConv ? may_follow_conv(plan, op, leader) : may_follow_product(plan, leader);
  return may ? rows.producer : std::nullopt;
}

std::int64_t possible_followers(const Plan& plan, const Operator& product) {
  const auto& readers = plan.graph.tensor(product.output).consumers;
  return std::ranges::count_if(readers, [&](OperatorId reader) { return may_follow(plan, reader).has_value(); });
}

WorkItem following(const WorkItem& leader) {
  WorkItem item = leader;
  item.output.back() = {0, 1};
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
