#include "planner/passes/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/graph/graph_edit.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/group.h"
#include "planner/ir/siblings.h"
#include "planner/passes/merge/parted_concats.h"
#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

// Writes the graph again with sets of operators as one, each in the place of its first.
class Merging {
 public:
  explicit Merging(const Graph& graph) : graph_(graph), edit_(graph) {}

  Graph run(const std::vector<std::vector<OperatorId>>& sets) {
    std::map<OperatorId, std::size_t> set_of;
    for (std::size_t set = 0; set < sets.size(); ++set)
      for (const OperatorId id : sets[set]) set_of.emplace(id, set);
    edit_.operators().clear();
    for (OperatorId id = 0; id < static_cast<OperatorId>(graph_.operators().size()); ++id) {
      const auto set = set_of.find(id);
      if (set == set_of.end() && is_read_by_others(graph_.op(id), set_of, sets))
        edit_.add_operator(graph_.op(id));
      else if (set == set_of.end())
        continue;
      else if (sets[set->second].front() == id)
        add_merged(sets[set->second]);
    }
    return edit_.build();
  }

 private:
  // Not a renaming of what siblings read that only those read whose place is the first one's.
  bool is_read_by_others(const Operator& op, const std::map<OperatorId, std::size_t>& set_of,
                         const std::vector<std::vector<OperatorId>>& sets) const {
    const Tensor& tensor = graph_.tensor(op.output);
    if (!is_alias(op.kind) || tensor.kind != TensorKind::kHidden) return true;
    return std::any_of(tensor.consumers.begin(), tensor.consumers.end(), [&](OperatorId reader) {
      const auto set = set_of.find(reader);
      return set == set_of.end() || sets[set->second].front() == reader || graph_.op(reader).inputs[0] != op.output;
    });
  }

  void add_merged(const std::vector<OperatorId>& members) {
    const Operator& first = graph_.op(members[0]);
    Operator merged = first;
    merged.name = merged_name(names_of(graph_, members));
    const auto inputs = [&](auto of) {
      std::vector<TensorId> tensors;
      for (const OperatorId id : members) tensors.push_back(of(graph_.op(id)));
      return tensors;
    };
    merged.inputs[1] = joined(inputs([](const Operator& op) { return op.inputs[1]; }), weight_dimension(first),
                              merged.name + ".weights");
    for (std::size_t i = 0; i < merged.epilogues.size(); ++i)
      if (form_of(graph_, first.epilogues[i]) == EpilogueForm::kChannel)
        merged.epilogues[i].operand = joined(inputs([&](const Operator& op) { return *op.epilogues[i].operand; }), 0,
                                             fmt::format("{}.operand{}", merged.name, i));
    merged.output = edit_.add_like(first.output, merged.name + ".out",
                                   widened(inputs([](const Operator& op) { return op.output; }), result_of(first)));
    edit_.add_operator(merged);
    cut_out(members, merged);
  }

  std::size_t result_of(const Operator& op) const { return result_dimension(graph_, op); }

  Shape widened(const std::vector<TensorId>& parts, std::size_t along) const {
    Shape shape = graph_.tensor(parts[0]).shape;
    shape[along] = 0;
    for (const TensorId part : parts) shape[along] += graph_.tensor(part).shape[along];
    return shape;
  }

  TensorId joined(const std::vector<TensorId>& parts, std::size_t along, const std::string& name) {
    Operator join{.name = name, .kind = OpKind::kConcat, .inputs = parts};
    join.output = edit_.add_like(parts[0], name, widened(parts, along));
    join.attributes.axis = static_cast<std::int64_t>(along);
    join.attributes.in_parts = true;
    const TensorId whole = join.output;
    edit_.add_operator(std::move(join));
    return whole;
  }

  void cut_out(const std::vector<OperatorId>& members, const Operator& merged) {
    const std::size_t along = result_of(graph_.op(members[0]));
    std::int64_t first = 0;
    for (const OperatorId id : members) {
      const Operator& op = graph_.op(id);
      const std::int64_t end = first + graph_.tensor(op.output).shape[along];
      Operator slice{.name = op.name, .kind = OpKind::kSlice, .inputs = {merged.output}, .output = op.output};
      slice.attributes.axes = {static_cast<std::int64_t>(along)};
      slice.attributes.starts = {first};
      slice.attributes.ends = {end};
      slice.attributes.steps = {1};
      slice.attributes.in_parts = true;
      edit_.add_operator(std::move(slice));
      first = end;
    }
  }

  const Graph& graph_;
  GraphEdit edit_;
};

[[noreturn]] void refuse(const GroupChoice::Group& named, const std::string& why) {
  std::string names;
  for (const std::string& name : named.operators) append_item(names, ", ", name);
  throw UserError(named.where, fmt::format("merged [{}]: {}", names, why));
}

std::vector<OperatorId> members_of(const Graph& graph, const GroupChoice::Group& named) {
  std::vector<OperatorId> members;
  for (const std::string& name : named.operators) {
    const auto id = graph.find_operator(name);
    if (!id) refuse(named, fmt::format("the network, as folded and fused, has no operator '{}'", name));
    members.push_back(*id);
  }
  if (const std::string fault = sibling_fault(graph, members); !fault.empty()) refuse(named, fault);
  return members;
}

void check_apart(const GroupChoice::Group& named, const std::vector<OperatorId>& members,
                 const std::vector<std::vector<OperatorId>>& others) {
  for (const auto& other : others)
    for (std::size_t i = 0; i < members.size(); ++i)
      if (std::count(other.begin(), other.end(), members[i]) > 0)
        refuse(named, fmt::format("'{}' is merged with others already", named.operators[i]));
}

}  // namespace

void merge(Plan& plan) {
  if (plan.options.group != Grouping::kNone) part_concats(plan);
  if (!plan.options.groups || plan.options.groups->merged.empty()) return;
  std::vector<std::vector<OperatorId>> sets;
  for (const GroupChoice::Group& named : plan.options.groups->merged) {
    const bool merged =
        named.operators.size() > 1 && plan.graph.find_operator(merged_name(named.operators)).has_value();
    if (merged) continue;  // the graph was planned before
    if (plan.options.type == DataType::kInt8) refuse(named, "an int8 product's results are int32 and not merged");
    const std::vector<OperatorId> members = members_of(plan.graph, named);
    check_apart(named, members, sets);
    sets.push_back(members);
  }
  plan.graph = Merging(plan.graph).run(sets);
}

void verify_merge(const Plan& plan) {
  for (const Operator& op : plan.graph.operators())
    if (op.attributes.in_parts)
      SIM_CHECK(infer_shape(plan.graph, op) == plan.graph.tensor(op.output).shape, "shape of '{}'", op.name);
}

}  // namespace tilewright
