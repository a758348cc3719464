#include "planner/emit/window_chain/window_chain.h"

#include <algorithm>

#include "planner/emit/pool_windows.h"
#include "planner/estimate/tiling_time.h"
#include "planner/ir/requirement.h"
#include "planner/ir/window_region.h"
#include "sim/base/error.h"

namespace tilewright {

namespace {

WindowStep step_of(const Plan& plan, OperatorId id, const BoxRange& box) {
  const Operator& op = plan.graph.op(id);
  WindowStep step{.op = id, .box = box};
  if (is_contraction(op.kind)) {
    step.part = make_contraction(plan, op, box);
    step.limits = tiling_limits(plan, op, *step.part);
    step.pad_value = op.attributes.pad_value;
  } else {
    step.limits.d_s = bytes_of(plan.tensors[op.inputs[0]].type);
    step.limits.acc_element = bytes_of(DataType::kFp32);
    step.pad_value = pool_padding(op.kind);
  }
  step.window = window_of(plan.graph, op);
  return step;
}

}  // namespace

WindowChain::WindowChain(const Plan& plan, const OperatorGroup& group, const BoxRange& output) : plan_(plan) {
  const std::vector<BoxRange> parts = member_parts(plan, group, output);
  SIM_CHECK(!parts.empty(), "a part of '{}' that needs nothing of a member", plan.graph.op(group.members.back()).name);
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const Operator& op = plan.graph.op(group.members[at]);
    const Shape& input = plan.graph.tensor(op.inputs[0]).shape;
    WindowStep step = step_of(plan, group.members[at], parts[at]);
    step.input = required_input(plan, op, 0, parts[at]);
    if (at > 0) step.input[1] = parts[at - 1][1];
    step.rows = input[2], step.columns = input[3];
    steps_.push_back(std::move(step));
  }
}

Range WindowChain::needed(std::size_t step, Range made) const {
  return made.size() > 0 ? window_span(steps_[step].window.axes[0], made) : Range{};
}

WindowVisit WindowChain::visit_of(const Range& image, const Range& rows, const WindowVisit* before) const {
  WindowVisit visit{image, std::vector<Range>(steps_.size())};
  visit.made.back() = rows;
  for (std::size_t step = steps_.size() - 1; step-- > 0;) {
    const Range& all = steps_[step].box[2];
    const Range needs = needed(step + 1, visit.made[step + 1]);
    const std::int64_t there = before ? before->made[step].end : all.begin;
    const std::int64_t end = std::max(there, std::clamp(needs.end, all.begin, all.end));
    visit.made[step] = {std::clamp(needs.begin, there, end), end};
  }
  return visit;
}

std::vector<WindowVisit> WindowChain::visits(std::int64_t rows) const {
  std::vector<WindowVisit> visits;
  const BoxRange& box = steps_.back().box;
  for (const Range& image : cut_range(box[0], 1)) {
    const std::size_t first = visits.size();
    for (const Range& block : cut_range(box[2], rows))
      visits.push_back(visit_of(image, block, visits.size() > first ? &visits.back() : nullptr));
  }
  return visits;
}

std::int64_t WindowChain::macs(std::int64_t rows) const {
  std::int64_t macs = 0;
  for (const WindowVisit& visit : visits(rows))
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (steps_[step].is_pool()) continue;
      const BoxRange& box = steps_[step].box;
      macs += visit.made[step].size() * box[1].size() * box[3].size() * steps_[step].part->shape().k;
    }
  return macs;
}

std::int64_t macs_repeated(const Plan& plan) {
  std::int64_t macs = 0;
  for (const OperatorGroup& group : plan.groups) {
    if (!walks_windows(plan.graph, group)) continue;
    for (const OperatorId member : group.members) macs -= mac_count(plan.graph, plan.graph.op(member));
    const auto& items = plan.operators[group.members.back()].split.items;
    for (std::size_t i = 0; i < items.size(); ++i)
      macs += WindowChain(plan, group, items[i].output).macs(group.block_rows.at(i));
  }
  return macs;
}

}  // namespace tilewright
