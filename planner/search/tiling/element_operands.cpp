#include "planner/search/tiling/element_operands.h"

#include <algorithm>
#include <map>

#include "planner/ir/epilogue.h"
#include "planner/ir/group.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/tiling_network.h"

namespace tilewright {
namespace {

// Of contractions that no group computes, by name.
std::map<std::string, OperatorId> contractions_alone(const Plan& plan) {
  std::map<std::string, OperatorId> found;
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (is_contraction(op.kind) && group_of(plan, id) == nullptr) found[op.name] = id;
  }
  return found;
}

std::vector<std::string> products_with_element_operands(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& [name, id] : contractions_alone(plan))
    if (has_element_operand(plan.graph, plan.graph.op(id))) names.push_back(name);
  return names;
}

// What computes the same in both is run as in `from`.
std::vector<OperatorChoice> kept_choices(const Plan& from, const Plan& to) {
  std::vector<OperatorChoice> choices;
  const auto before = contractions_alone(from);
  for (const auto& [name, id] : contractions_alone(to)) {
    const auto known = before.find(name);
    if (known == before.end()) continue;
    const Operator &was = from.graph.op(known->second), &is = to.graph.op(id);
    if (was.epilogues.size() == is.epilogues.size()) choices.push_back(as_planned(from.operators[known->second], id));
  }
  std::ranges::sort(choices, {}, &OperatorChoice::op);
  return choices;
}

}  // namespace

std::optional<PlanOptions> with_element_operands(const Graph& graph, const Plan& plan, bool taken) {
  if (!plan.options.groups) return {};
  PlanOptions options = plan.options;
  std::vector<std::string>& apart = options.groups->apart;
  const auto names = products_with_element_operands(plan);
  if (taken ? apart.empty() : names.empty()) return {};
  if (taken)
    apart.clear();
  else
    apart.insert(apart.end(), names.begin(), names.end());
  options.choices.clear();
  options.choices = kept_choices(plan, make_plan(graph, plan.hardware, options, {.stop_after = kNeededForTasks}));
  return options;
}

}  // namespace tilewright
