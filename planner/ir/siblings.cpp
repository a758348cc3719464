#include "planner/ir/siblings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/graph/window.h"
#include "planner/ir/contraction.h"
#include "planner/ir/epilogue.h"

namespace tilewright {
namespace {

// A constant that only this operator reads, so that it may lie behind another's; of vectors also a renaming of one.
bool is_own_constant(const Graph& graph, TensorId id) {
  if (graph.tensor(id).shape.size() == 1 && graph.tensor(id).consumers.size() == 1) id = without_renamings(graph, id);
  const Tensor& tensor = graph.tensor(id);
  return tensor.kind == TensorKind::kConstant && tensor.consumers.size() == 1 && !tensor.is_index && !tensor.fixed_type;
}

// Whether the epilogue can be one of a merged operator.
bool can_be_joined(const Graph& graph, const Epilogue& epilogue) {
  switch (form_of(graph, epilogue)) {
    case EpilogueForm::kUnary:
    case EpilogueForm::kScalar:
      return true;
    case EpilogueForm::kChannel:
      return is_own_constant(graph, *epilogue.operand);
    case EpilogueForm::kElement:
      return false;
  }
  return false;
}

// Why the operator cannot be one of several; empty when it can.
std::string member_fault(const Graph& graph, const Operator& op) {
  if (!is_contraction(op.kind)) return fmt::format("'{}' is no product or convolution", op.name);
  const Tensor& result = graph.tensor(op.output);
  if (op.attributes.groups != 1) return fmt::format("'{}' is a grouped convolution", op.name);
  if (op.attributes.channel_factors) return fmt::format("the weights of '{}' are scaled", op.name);
  if (op.attributes.zero_extend || !is_own_constant(graph, op.inputs[1]) ||
      (op.kind == OpKind::kMatMul && graph.tensor(op.inputs[1]).shape.size() != 2))
    return fmt::format("'{}' has no constant weights of its own", op.name);
  if (result.kind != TensorKind::kHidden || result.is_index || result.fixed_type)
    return fmt::format("the result of '{}' is no tensor of floats between operators", op.name);
  for (const Epilogue& epilogue : op.epilogues)
    if (!can_be_joined(graph, epilogue))
      return fmt::format("what is fused into '{}' has an operand that is no constant of its own", op.name);
  return "";
}

bool alike(const Graph& graph, const Epilogue& a, const Epilogue& b) {
  const EpilogueForm form = form_of(graph, a);
  if (a.kind != b.kind || form != form_of(graph, b) || !(a.attributes == b.attributes)) return false;
  return form != EpilogueForm::kScalar || graph.tensor(*a.operand).data == graph.tensor(*b.operand).data;
}

// Whether the operators differ in their weights only.
bool alike(const Graph& graph, const Operator& a, const Operator& b) {
  Shape wide = graph.tensor(a.inputs[1]).shape, other = graph.tensor(b.inputs[1]).shape;
  wide[weight_dimension(a)] = other[weight_dimension(b)] = 1;
  return a.kind == b.kind && same_elements(graph, a.inputs[0], b.inputs[0]) && wide == other &&
         a.attributes == b.attributes && a.epilogues.size() == b.epilogues.size() &&
         std::equal(a.epilogues.begin(), a.epilogues.end(), b.epilogues.begin(),
                    [&](const Epilogue& of_a, const Epilogue& of_b) { return alike(graph, of_a, of_b); });
}

}  // namespace

std::size_t weight_dimension(const Operator& op) {
  return op.kind == OpKind::kConv || op.attributes.transpose_b ? 0 : 1;
}

std::size_t result_dimension(const Graph& graph, const Operator& op) {
  return op.kind == OpKind::kConv ? 1 : graph.tensor(op.output).shape.size() - 1;
}

std::string sibling_fault(const Graph& graph, const std::vector<OperatorId>& members) {
  if (members.size() < 2) return "one operator is no siblings";
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Operator& op = graph.op(members[i]);
    if (std::string fault = member_fault(graph, op); !fault.empty()) return fault;
    if (std::count(members.begin(), members.end(), members[i]) > 1) return fmt::format("'{}' stands twice", op.name);
    if (!alike(graph, graph.op(members[0]), op))
      return fmt::format("'{}' and '{}' do not read the same in the same way", graph.op(members[0]).name, op.name);
  }
  return "";
}

std::vector<GroupChoice::Group> sibling_sets(const Graph& graph) {
  std::vector<std::vector<OperatorId>> sets;
  for (OperatorId id = 0; id < static_cast<OperatorId>(graph.operators().size()); ++id) {
    if (!member_fault(graph, graph.op(id)).empty()) continue;
    const auto set = std::find_if(sets.begin(), sets.end(),
                                  [&](const auto& known) { return alike(graph, graph.op(known[0]), graph.op(id)); });
    if (set == sets.end())
      sets.push_back({id});
    else
      set->push_back(id);
  }
  std::erase_if(sets, [](const auto& set) { return set.size() < 2; });
  std::vector<GroupChoice::Group> named(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const OperatorId id : sets[i]) named[i].operators.push_back(graph.op(id).name);
  return named;
}

std::string merged_name(const std::vector<std::string>& members) { return fmt::format("{}", fmt::join(members, "+")); }

}  // namespace tilewright
