#include "planner/ir/group.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ir/directions.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/follower.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

bool is_row_softmax(const Graph& graph, const Operator& op) {
  return op.kind == OpKind::kSoftmax && op.attributes.axis + 1 == std::ssize(graph.tensor(op.output).shape);
}

std::string member_fault(const Graph& graph, const std::vector<OperatorId>& members, std::size_t at) {
  const Operator& op = graph.op(members[at]);
  const bool softmax = is_row_softmax(graph, op);
  if (op.kind != OpKind::kMatMul && !softmax)
    return fmt::format("'{}' ({}) is neither a product nor a softmax along rows", op.name, name_of(op.kind));
  if (softmax && (at == 0 || graph.op(members[at - 1]).kind != OpKind::kMatMul))
    return fmt::format("the softmax '{}' is not behind a product", op.name);
  if (at > 0 && !softmax && op.attributes.transpose_a)
    return fmt::format("'{}' reads the rows before it as columns", op.name);
  return {};
}

// Whether operator `at` alone reads the result of the one before it, as its first input or beside it.
std::string reading_fault(const Graph& graph, const std::vector<OperatorId>& members, std::size_t at) {
  const Operator &before = graph.op(members[at - 1]), &op = graph.op(members[at]);
  const Tensor& between = graph.tensor(before.output);
  const std::vector<TensorId> read = all_inputs(op);
  const bool reads = op.inputs[0] == before.output || (at == 1 && are_side_by_side(graph, before, op));
  if (!reads || std::count(read.begin(), read.end(), before.output) != 1)
    return fmt::format("'{}' does not read the rows of '{}'", op.name, before.name);
  if (between.kind != TensorKind::kHidden || between.consumers.size() != 1)
    return fmt::format("'{}', the result of '{}', has other readers", between.name, before.name);
  return {};
}

std::string rows_fault(const Graph& graph, const std::vector<OperatorId>& members, std::size_t at) {
  const Operator &before = graph.op(members[at - 1]), &op = graph.op(members[at]);
  const Tensor& between = graph.tensor(before.output);
  Shape rows = between.shape, other = graph.tensor(op.output).shape;
  rows.back() = other.back();
  if (rows != other) return fmt::format("'{}' and '{}' have other rows", before.name, op.name);
  return {};
}

// A grouped convolution is computed group by group.
Range whole_groups(Range channels, std::int64_t granule) {
  return {channels.begin / granule * granule, round_up(channels.end, granule)};
}

}  // namespace

const OperatorGroup* group_of(const Plan& plan, OperatorId id) {
  for (const OperatorGroup& group : plan.groups)
    if (std::count(group.members.begin(), group.members.end(), id) > 0) return &group;
  return nullptr;
}

OperatorId root_of(const Plan& plan, OperatorId id) {
  if (static_cast<std::size_t>(id) < plan.operators.size() && plan.operators[id].leader >= 0)
    return root_of(plan, plan.operators[id].leader);
  const OperatorGroup* group = group_of(plan, id);
  return group == nullptr ? id : group->members.back();
}

std::vector<OperatorId> computed_by(const Plan& plan, OperatorId root) {
  if (root_of(plan, root) != root) return {};
  const OperatorGroup* group = group_of(plan, root);
  std::vector<OperatorId> computed = group == nullptr ? std::vector<OperatorId>{root} : group->members;
  for (const OperatorId follower : followers_of(plan, root)) computed.push_back(follower);
  return computed;
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<OperatorId>& operators) {
  std::vector<std::string> names;
  for (const OperatorId id : operators) names.push_back(graph.op(id).name);
  return names;
}

std::vector<GroupChoice::Group> named_groups(const Plan& plan) {
  std::vector<GroupChoice::Group> named;
  for (const OperatorGroup& group : plan.groups) named.push_back({names_of(plan.graph, group.members), {}});
  return named;
}

bool is_grouped(const GroupChoice& choice, const std::string& op) {
  return std::ranges::any_of(choice.groups, [&](const GroupChoice::Group& group) {
    return std::ranges::find(group.operators, op) != group.operators.end();
  });
}

bool is_told_together(const Plan& plan, const std::string& op) {
  return plan.options.groups && is_grouped(*plan.options.groups, op);
}

bool may_have_groups(const PlanOptions& options) {
  return options.parallel == Parallel::kFree && options.type != DataType::kInt8;
}

bool stays_on_core(const Plan& plan, TensorId tensor) {
  const auto producer = plan.graph.tensor(tensor).producer;
  const OperatorGroup* group = producer ? group_of(plan, *producer) : nullptr;
  return group != nullptr && group->members.back() != *producer;
}

std::vector<std::int64_t> batch_cuts(const Shape& shape, std::int64_t parts) {
  std::vector<std::int64_t> cuts(shape.size(), 1);
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
    cuts[d] = std::min(shape[d], parts);
    parts /= cuts[d];
  }
  return cuts;
}

bool is_window(const Operator& op) {
  return op.kind == OpKind::kConv || traits_of(op.kind).family == OperatorFamily::kPool;
}

bool walks_windows(const Graph& graph, const OperatorGroup& group) { return is_window(graph.op(group.members.back())); }

std::vector<std::int64_t> parts_of(const Graph& graph, const OperatorGroup& group, const Operator& op) {
  const Shape& shape = graph.tensor(op.output).shape;
  if (walks_windows(graph, group)) return {group.batch_parts, group.channel_parts, group.row_parts, 1};
  std::vector<std::int64_t> parts = batch_cuts(shape, group.batch_parts);
  parts[shape.size() - 2] = group.row_parts;
  return parts;
}

std::vector<BoxRange> member_parts(const Plan& plan, const OperatorGroup& group, const BoxRange& output) {
  std::vector<BoxRange> parts(group.members.size(), output);
  const bool windows = walks_windows(plan.graph, group);
  for (std::size_t at = parts.size(); at-- > 0;) {
    const Operator& op = plan.graph.op(group.members[at]);
    if (!windows) {
      parts[at].back() = {0, plan.graph.tensor(op.output).shape.back()};
    } else if (at + 1 < parts.size()) {
      parts[at] = required_input(plan, plan.graph.op(group.members[at + 1]), 0, parts[at + 1]);
      parts[at][1] = whole_groups(parts[at][1], directions_of(plan, op).granule_m);
      if (parts[at][2].size() <= 0 || parts[at][3].size() <= 0) return {};
    }
  }
  return parts;
}

bool are_side_by_side(const Graph& graph, const Operator& first, const Operator& second) {
  const auto combines = [&](const Epilogue& epilogue) {
    return epilogue.operand == first.output && form_of(graph, epilogue) == EpilogueForm::kElement;
  };
  return first.kind == OpKind::kMatMul && second.kind == OpKind::kMatMul &&
         first.attributes.transpose_a == second.attributes.transpose_a &&
         same_elements(graph, first.inputs[0], second.inputs[0]) &&
         graph.tensor(first.output).shape == graph.tensor(second.output).shape &&
         std::any_of(second.epilogues.begin(), second.epilogues.end(), combines);
}

std::string chain_fault(const Graph& graph, const std::vector<OperatorId>& members) {
  if (members.size() < 2) return "a group has two operators or more";
  const bool windows = is_window(graph.op(members.front()));
  for (std::size_t at = 0; at < members.size(); ++at) {
    const Operator& op = graph.op(members[at]);
    if (windows && !is_window(op))
      return fmt::format("'{}' ({}) is neither a convolution nor a pool", op.name, name_of(op.kind));
    std::string fault = windows ? "" : member_fault(graph, members, at);
    if (fault.empty() && at > 0) fault = reading_fault(graph, members, at);
    if (fault.empty() && at > 0 && !windows) fault = rows_fault(graph, members, at);
    if (!fault.empty()) return fault;
  }
  return {};
}

bool channels_can_be_cut(const Graph& graph, const OperatorGroup& group) {
  return std::all_of(group.members.begin() + 1, group.members.end(), [&](OperatorId member) {
    const Operator& op = graph.op(member);
    return op.kind != OpKind::kConv || op.attributes.groups > 1;
  });
}

}  // namespace tilewright
