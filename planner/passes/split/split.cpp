#include "planner/passes/split/split.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/directions.h"
#include "planner/ir/follower.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/reduction_ranges.h"
#include "planner/ir/requirement.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::string describe(const Plan& plan, const OperatorLabels& labels, TensorId output, std::size_t sums) {
  const Shape& shape = plan.graph.tensor(output).shape;
  std::string text = "parts";
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const DimensionSplit* cut = labels.output.split_of(labels.output.order[d]);
    text += fmt::format("{} {}/{}", d == 0 ? "" : " x", shape[d], cut != nullptr ? cut->ranges.size() : 1);
  }
  return sums > 1 ? text + fmt::format(", sums in {}", sums) : text;
}

// Why a core cannot compute `box` of the operator's output by itself; empty when it can.
std::string box_fault(const Plan& plan, const Operator& op, const BoxRange& box) {
  const Shape& shape = plan.graph.tensor(op.output).shape;
  if (box.size() != shape.size()) return fmt::format("a part of {} dimensions for {}", box.size(), to_string(shape));
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].size() <= 0) return "an empty part";
    if (box[d].begin < 0 || box[d].end > shape[d]) return fmt::format("a part outside {}", to_string(shape));
    if (!can_cut(op, d) && box[d].size() != shape[d]) return fmt::format("a part that cuts dimension {}", d);
  }
  if (!is_contraction(op.kind)) return "";
  const Directions at = directions_of(plan, op);
  const bool cut = box[at.m].begin % at.granule_m != 0 || box[at.m].end % at.granule_m != 0;
  return cut ? "a part that cuts a group" : "";
}

// Whether a part of the reduction is one of this operator's.
bool is_reduction_part(const Plan& plan, const Operator& op, Range k) {
  if (k.size() == 0) return true;
  return is_contraction(op.kind) && k.begin >= 0 && k.size() > 0 && k.end <= reduction_length(plan.graph, op);
}

std::int64_t elements_of(const Plan& plan, const Operator& op, const WorkItem& item) {
  std::int64_t elements = 1;
  for (const Range& range : item.output) elements *= range.size();
  const std::int64_t k = is_contraction(op.kind) ? reduction_length(plan.graph, op) : 1;
  return elements * (item.k.size() == 0 ? k : item.k.size());
}

// Two parts compute something twice, or partial results of boxes that are not the same.
bool clash(const WorkItem& a, const WorkItem& b) {
  if (!overlap(a.output, b.output)) return false;
  const bool partial = a.k.size() > 0 && b.k.size() > 0;
  return !partial || a.output != b.output || (a.k.begin < b.k.end && b.k.begin < a.k.end);
}

// Why `split` does not give every element of the output to one core; empty when it does.
std::string split_fault(const Plan& plan, const Operator& op, const Split& split) {
  std::int64_t covered = 0;
  std::vector<bool> busy(plan.hardware.cores(), false);
  for (std::size_t i = 0; i < split.items.size(); ++i) {
    const WorkItem& item = split.items[i];
    if (item.core < 0 || item.core >= plan.hardware.cores()) return fmt::format("there is no core {}", item.core);
    if (busy[item.core]) return fmt::format("core {} has two parts", item.core);
    busy[item.core] = true;
    if (std::string fault = box_fault(plan, op, item.output); !fault.empty()) return fault;
    if (!is_reduction_part(plan, op, item.k)) return "a part of a sum that the operator does not have";
    covered += elements_of(plan, op, item);
    for (std::size_t j = 0; j < i; ++j)
      if (clash(item, split.items[j])) return fmt::format("parts {} and {} overlap", j, i);
  }
  const std::int64_t k = is_contraction(op.kind) ? reduction_length(plan.graph, op) : 1;
  return covered == k * element_count(plan.graph.tensor(op.output).shape) ? "" : "the parts leave gaps";
}

// Boxes of the output, row-major, that its label gives.
std::vector<BoxRange> labelled_boxes(const DynamicLabel& label, const Shape& shape) {
  std::vector<BoxRange> boxes{{}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const DimensionSplit* cut = label.split_of(label.order[d]);
    std::vector<BoxRange> next;
    for (const BoxRange& box : boxes)
      for (const Range& range : cut != nullptr ? cut->ranges : std::vector<Range>{{0, shape[d]}}) {
        next.push_back(box);
        next.back().push_back(range);
      }
    boxes = std::move(next);
  }
  return boxes;
}

// Cores in turn; groups of parts that belong together begin with the first core of a cluster.
int core_of(const Plan& plan, int item, int per_group) {
  return per_group == 0 ? item : item / per_group * plan.hardware.cores_per_cluster + item % per_group;
}

Split labelled_split(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const OperatorLabels& labels = plan.operators[id].labels;
  const std::vector<Range> sums = reduction_ranges(plan, id);
  Split split;
  for (const BoxRange& box : labelled_boxes(labels.output, plan.graph.tensor(op.output).shape))
    for (const Range& k : sums.empty() ? std::vector<Range>{{}} : sums)
      split.items.push_back({core_of(plan, static_cast<int>(split.items.size()), labels.per_group), box, k});
  split.reason = describe(plan, labels, op.output, sums.size());
  return split;
}

void split_operator(Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  Split& split = plan.operators[id].split;
  if (needs_no_instruction(plan, op)) {
    split.reason = is_alias(op.kind) ? "an alias" : "written in place by the operators before it";
    return;
  }
  const OperatorChoice* choice = plan.options.choice_of(id);
  if (choice == nullptr || choice->split.items.empty()) {
    split = labelled_split(plan, id);
    return;
  }
  const std::string fault = split_fault(plan, op, choice->split);
  if (!fault.empty()) throw UserError(fmt::format("split chosen for '{}'", op.name), fault);
  split = choice->split;
}

// Whether the parts of a product or convolution hold whole rows of its result, and whole sums.
bool hold_rows(const Shape& shape, const Split& split) {
  return std::all_of(split.items.begin(), split.items.end(), [&](const WorkItem& item) {
    return item.k.size() == 0 && item.output.back().size() == shape.back();
  });
}

// A reduction of rows that may follow what makes them is computed by the same cores.
void split_as_leader(Plan& plan, OperatorId id) {
  const auto leader = may_follow(plan, id);
  if (!leader) return;
  const Split& of_leader = plan.operators[*leader].split;
  if (!hold_rows(plan.graph.tensor(plan.graph.op(*leader).output).shape, of_leader)) return;
  Split& split = plan.operators[id].split;
  split.items.clear();
  for (const WorkItem& item : of_leader.items) split.items.push_back(following(item));
}

// What the cores compute of a group's members follows from their parts of its result.
std::vector<Split> member_splits(const Plan& plan, const OperatorGroup& group) {
  std::vector<Split> splits;
  for (const OperatorId member : group.members) splits.push_back({{}, plan.operators[member].split.reason});
  for (const WorkItem& item : plan.operators[group.members.back()].split.items) {
    const std::vector<BoxRange> parts = member_parts(plan, group, item.output);
    SIM_CHECK(parts.size() == splits.size(), "a part of a group that needs nothing of a member");
    for (std::size_t at = 0; at < parts.size(); ++at) splits[at].items.push_back({item.core, parts[at], {}});
  }
  return splits;
}

bool is_inner_member(const Plan& plan, OperatorId id) { return root_of(plan, id) != id; }

}  // namespace

void split(Plan& plan) {
  for (const OperatorId id : plan.order) split_operator(plan, id);
  for (const OperatorGroup& group : plan.groups) {
    std::vector<Split> splits = member_splits(plan, group);
    for (std::size_t at = 0; at < splits.size(); ++at) plan.operators[group.members[at]].split = std::move(splits[at]);
  }
  for (const OperatorId id : plan.order) split_as_leader(plan, id);
}

void verify_split(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (needs_no_instruction(plan, op) || is_inner_member(plan, id)) continue;
    const std::string fault = split_fault(plan, op, plan.operators[id].split);
    SIM_CHECK(fault.empty(), "split of '{}': {}", op.name, fault);
  }
  for (const OperatorGroup& group : plan.groups) {
    const std::vector<Split> splits = member_splits(plan, group);
    for (std::size_t at = 0; at < splits.size(); ++at)
      SIM_CHECK(plan.operators[group.members[at]].split.items == splits[at].items,
                "parts of '{}' are not those of its group", plan.graph.op(group.members[at]).name);
  }
}

}  // namespace tilewright
