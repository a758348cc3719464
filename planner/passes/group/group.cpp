#include "planner/ir/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/emit/chain/chain_choice.h"
#include "planner/emit/window_chain/window_choice.h"
#include "planner/ir/element_types.h"
#include "planner/ir/requirement.h"
#include "planner/passes/group/group.h"
#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

// Thrown on: why a group cannot be formed.
struct Refusal {
  std::string why;
};

OperatorId operator_named(const Graph& graph, const std::string& name) {
  if (const auto id = graph.find_operator(name)) return *id;
  throw Refusal{fmt::format("the network, as folded and fused, has no operator '{}'", name)};
}

// What groups cannot be combined with.
void check_options(const Plan& plan) {
  if (plan.options.parallel != Parallel::kFree) throw Refusal{"groups are split freely: --parallel free"};
  if (plan.options.type == DataType::kInt8)
    throw Refusal{"an int8 product's results are int32, which no product reads"};
}

// Whether it reads and writes floats of that type alone; a known scalar is part of an instruction and has none.
bool computes_in_one_type(const Plan& plan, OperatorId id, DataType type) {
  const Operator& op = plan.graph.op(id);
  const std::vector<TensorId> inputs = all_inputs(op);
  const auto is_alike = [&](TensorId tensor) {
    const Tensor& data = plan.graph.tensor(tensor);
    return plan.tensors[tensor].type == type || data.is_index || is_known_scalar(data);
  };
  return is_alike(op.output) && std::all_of(inputs.begin(), inputs.end(), is_alike);
}

void check_members(const Plan& plan, const std::vector<OperatorId>& members) {
  for (const OperatorId id : members) {
    const std::string& name = plan.graph.op(id).name;
    if (group_of(plan, id) != nullptr) throw Refusal{fmt::format("'{}' is in two groups", name)};
    if (multiplies_int8(plan, plan.graph.op(id)))
      throw Refusal{fmt::format("'{}' multiplies int8, which groups do not", name)};
    if (accumulator_type(plan.tensors[plan.graph.op(id).output].type) != DataType::kFp32)
      throw Refusal{fmt::format("'{}' computes integers, which groups do not", name)};
    if (!computes_in_one_type(plan, id, plan.tensors[plan.graph.op(members.front()).inputs[0]].type))
      throw Refusal{
          fmt::format("'{}' is computed in another type than '{}'", name, plan.graph.op(members.front()).name)};
    if (plan.options.choice_of(id) != nullptr) throw Refusal{fmt::format("'{}' has a tiling of its own", name)};
  }
  if (const std::string fault = chain_fault(plan.graph, members); !fault.empty()) throw Refusal{fault};
}

// Into what the group's result is cut; false: no block of rows fits.
bool set_parts(const Plan& plan, OperatorGroup& group) {
  if (walks_windows(plan.graph, group)) {
    const auto grid = choose_window_grid(plan, group, plan.cores());
    if (grid) group.batch_parts = grid->images, group.channel_parts = grid->channels, group.row_parts = grid->rows;
    return grid.has_value();
  }
  const auto grid = choose_grid(plan, group, plan.cores());
  if (grid) group.batch_parts = grid->batches, group.row_parts = grid->rows;
  return grid.has_value();
}

OperatorGroup formed(const Plan& plan, const std::vector<std::string>& names) {
  check_options(plan);
  OperatorGroup group;
  for (const std::string& name : names) group.members.push_back(operator_named(plan.graph, name));
  check_members(plan, group.members);
  if (!set_parts(plan, group)) throw Refusal{"no block of its rows fits a core's buffers"};
  return group;
}

std::string text_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) append_item(text, ", ", name);
  return text;
}

void check_apart(const Plan& plan, const GroupChoice& choice) {
  for (const std::string& name : choice.apart)
    if (!plan.graph.find_operator(name))
      throw UserError(choice.source,
                      fmt::format("apart: the network, as folded and fused, has no operator '{}'", name));
}

}  // namespace

void group(Plan& plan) {
  plan.groups.clear();
  if (!plan.options.groups) return;
  const GroupChoice& choice = *plan.options.groups;
  plan.order = plan.graph.topological_order();
  plan.operators.assign(plan.graph.operators().size(), {});
  assign_types(plan);
  if (!choice.source.empty()) check_apart(plan, choice);
  for (const GroupChoice::Group& named : choice.groups) {
    try {
      plan.groups.push_back(formed(plan, named.operators));
    } catch (const Refusal& refusal) {
      if (!named.where.empty())
        throw UserError(named.where, fmt::format("group [{}]: {}", text_of(named.operators), refusal.why));
    }
  }
}

void verify_group(const Plan& plan) {
  std::set<OperatorId> grouped;
  for (const OperatorGroup& group : plan.groups) {
    const std::string fault = chain_fault(plan.graph, group.members);
    SIM_CHECK(fault.empty(), "a group that is no chain: {}", fault);
    for (const OperatorId id : group.members)
      SIM_CHECK(grouped.insert(id).second, "'{}' is in two groups", plan.graph.op(id).name);
  }
}

}  // namespace tilewright
