#include "planner/ir/group.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

bool is_row_softmax(const Graph& graph, const Operator& op) {
  return op.kind == OpKind::kSoftmax && op.attributes.axis + 1 == std::ssize(graph.tensor(op.output).shape);
}

std::string member_fault(const Graph& graph, const std::vector<OperatorId>& members, std::size_t at) {
  const Operator& op = graph.op(members[at]);
  const bool softmax = is_row_softmax(graph, op), last = at + 1 == members.size();
  if (op.kind != OpKind::kMatMul && !softmax)
    return fmt::format("'{}' ({}) is neither a product nor a softmax along rows", op.name, name_of(op.kind));
  if (softmax && (at == 0 || last || graph.op(members[at - 1]).kind != OpKind::kMatMul))
    return fmt::format("the softmax '{}' is not between two products", op.name);
  if (at > 0 && !softmax && op.attributes.transpose_a)
    return fmt::format("'{}' reads the rows before it as columns", op.name);
  return {};
}

// Between operator `at` and the one before it.
std::string link_fault(const Graph& graph, const std::vector<OperatorId>& members, std::size_t at) {
  const Operator &before = graph.op(members[at - 1]), &op = graph.op(members[at]);
  const Tensor& between = graph.tensor(before.output);
  const std::vector<TensorId> read = all_inputs(op);
  if (op.inputs[0] != before.output || std::count(read.begin(), read.end(), before.output) != 1)
    return fmt::format("'{}' does not read the rows of '{}'", op.name, before.name);
  if (between.kind != TensorKind::kHidden || between.consumers.size() != 1)
    return fmt::format("'{}', the result of '{}', has other readers", between.name, before.name);
  Shape rows = between.shape, other = graph.tensor(op.output).shape;
  rows.back() = other.back();
  if (rows != other) return fmt::format("'{}' and '{}' have other rows", before.name, op.name);
  return {};
}

}  // namespace

const OperatorGroup* group_of(const Plan& plan, OperatorId id) {
  for (const OperatorGroup& group : plan.groups)
    if (std::count(group.members.begin(), group.members.end(), id) > 0) return &group;
  return nullptr;
}

OperatorId root_of(const Plan& plan, OperatorId id) {
  const OperatorGroup* group = group_of(plan, id);
  return group == nullptr ? id : group->members.back();
}

std::vector<OperatorId> computed_by(const Plan& plan, OperatorId root) {
  const OperatorGroup* group = group_of(plan, root);
  if (group == nullptr) return {root};
  return group->members.back() == root ? group->members : std::vector<OperatorId>{};
}

bool stays_on_core(const Plan& plan, TensorId tensor) {
  const auto producer = plan.graph.tensor(tensor).producer;
  return producer && root_of(plan, *producer) != *producer;
}

std::size_t batch_dimension(const Shape& shape) {
  for (std::size_t d = 0; d + 2 < shape.size(); ++d)
    if (shape[d] > 1) return d;
  return shape.size();
}

BoxRange member_part(const Graph& graph, OperatorId member, const BoxRange& output) {
  BoxRange part = output;
  part.back() = {0, graph.tensor(graph.op(member).output).shape.back()};
  return part;
}

std::string chain_fault(const Graph& graph, const std::vector<OperatorId>& members) {
  if (members.size() < 2) return "a group has two operators or more";
  for (std::size_t at = 0; at < members.size(); ++at) {
    if (std::string fault = member_fault(graph, members, at); !fault.empty()) return fault;
    if (at == 0) continue;
    if (std::string fault = link_fault(graph, members, at); !fault.empty()) return fault;
  }
  return {};
}

}  // namespace tilewright
