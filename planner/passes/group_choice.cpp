#include "planner/passes/group_choice.h"

#include <algorithm>

#include "planner/ir/element_types.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/group.h"
#include "planner/ir/siblings.h"
#include "planner/passes/decompose/decompose.h"
#include "planner/passes/decompose/network_cuts.h"
#include "planner/passes/pass.h"
#include "planner/passes/tile/together.h"

namespace tilewright {
namespace {

// A product or convolution and something behind it.
bool could_be_together(const Graph& graph) {
  const auto& operators = graph.operators();
  return operators.size() > 1 &&
         std::any_of(operators.begin(), operators.end(), [](const Operator& op) { return is_contraction(op.kind); });
}

// A product or a softmax, and a product before it; a convolution or a pool, and one before it.
bool could_form_group(const Graph& graph) {
  const auto& operators = graph.operators();
  return std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
    const auto writer = op.inputs.empty() ? std::nullopt : graph.tensor(op.inputs[0]).producer;
    if (!writer) return false;
    const Operator& before = graph.op(*writer);
    if (is_window(before) && is_window(op)) return true;
    return is_contraction(before.kind) &&
           (before.kind == op.kind || (before.kind == OpKind::kMatMul && op.kind == OpKind::kSoftmax));
  });
}

// Sets of siblings that may become one, by name; none of a group.
std::vector<GroupChoice::Group> siblings_to_try(const Plan& plan) {
  if (!plan.options.merge || !may_have_groups(plan.options)) return {};
  auto sets = sibling_sets(plan.graph);
  std::erase_if(sets, [&](const GroupChoice::Group& set) {
    return std::ranges::any_of(set.operators, [&](const std::string& name) { return is_told_together(plan, name); });
  });
  return sets;
}

// The trial plan, tiled operator by operator, with those siblings merged that are predicted to be faster so.
Plan with_merged(Plan trial, const Graph& graph) {
  PlanOptions options = trial.options;
  options.groups->merged = siblings_to_try(trial);
  while (!options.groups->merged.empty()) {
    Plan merged = make_plan(graph, trial.hardware, options, {.stop_after = "tile"});
    const std::size_t before = options.groups->merged.size();
    std::erase_if(options.groups->merged,
                  [&](const GroupChoice::Group& set) { return !faster_merged(trial, merged, set.operators); });
    if (options.groups->merged.size() == before) return merged;
  }
  return trial;
}

// `told` are members of groups already.
GroupChoice predicted_beside(const Graph& graph, const Hardware& hardware, PlanOptions options,
                             std::vector<GroupChoice::Group> told) {
  options.groups.emplace().groups = std::move(told);
  options.choices.clear();
  options.merge = options.merge && options.order.empty();  // which names operators as they are without
  options.order.clear();
  Plan trial = make_plan(graph, hardware, options, {.stop_after = "fuse"});
  const auto& operators = trial.graph.operators();
  const bool elements = std::any_of(operators.begin(), operators.end(),
                                    [&](const Operator& op) { return has_element_operand(trial.graph, op); });
  if (!elements && !could_form_group(trial.graph) && siblings_to_try(trial).empty()) return {};
  run_passes(trial, "fuse", "tile");
  trial = with_merged(std::move(trial), graph);
  GroupChoice choice = best_together(trial);
  choice.merged = trial.options.groups->merged;
  return choice;
}

bool may_choose(const Graph& graph, const PlanOptions& options) {
  return options.fuse && options.group == Grouping::kAuto && could_be_together(graph);
}

// Of the plan's chains, what is not apart. `apart(writer, reader)`: whether these are in no group together.
template <typename Apart>
std::vector<GroupChoice::Group> groups_of(const Plan& plan, const Apart& apart) {
  std::vector<GroupChoice::Group> found;
  for (const std::vector<OperatorId>& chain : chains_of(plan))
    for (auto begin = chain.begin(); begin != chain.end();) {
      const auto last = std::adjacent_find(begin, chain.end(), apart);
      const auto end = last == chain.end() ? last : std::next(last);
      std::vector<OperatorId> members(begin, end);
      while (members.size() > 1 && !chain_fault(plan.graph, members).empty()) members.pop_back();  // a softmax
      if (members.size() > 1) found.push_back({names_of(plan.graph, members), {}});
      begin = end;
    }
  return found;
}

// Those of which some block of rows fits a core's buffers.
std::vector<GroupChoice::Group> formed(Plan plan, std::vector<GroupChoice::Group> groups) {
  if (groups.empty()) return {};
  plan.options.groups->groups = std::move(groups);
  run_passes(plan, "fuse", "group");
  return named_groups(plan);
}

}  // namespace

// What to compute together is known once everything is fused, split and tiled. Choices for operators do not change what
// is fused, so that they find the same operators.
GroupChoice predicted_groups(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
  if (!may_choose(graph, options)) return {};
  return predicted_beside(graph, hardware, options, {});
}

std::vector<GroupChoice> groups_for_parts(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
  if (!may_choose(graph, options) || !may_have_groups(options) || options.groups || options.decompose_above > 0)
    return {};
  PlanOptions alone = options;
  alone.groups.emplace();
  alone.order.clear();
  Plan trial = make_plan(graph, hardware, alone, {.stop_after = "fuse"});
  assign_types(trial);
  const auto cuts = network_cuts(trial, decompose_limit(trial));
  const auto both_whole = [&](OperatorId a, OperatorId b) { return cuts[a].empty() && cuts[b].empty(); };
  const auto one_whole = [&](OperatorId a, OperatorId b) { return cuts[a].empty() || cuts[b].empty(); };
  const auto wide = formed(trial, groups_of(trial, both_whole)), narrow = formed(trial, groups_of(trial, one_whole));
  const auto members = &GroupChoice::Group::operators;
  std::vector<GroupChoice> choices;
  if (!wide.empty()) choices.push_back(predicted_beside(graph, hardware, options, wide));
  if (!narrow.empty() && !std::ranges::equal(wide, narrow, {}, members, members))
    choices.push_back(predicted_beside(graph, hardware, options, narrow));
  return choices;
}

}  // namespace tilewright
