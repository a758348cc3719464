#include "planner/passes/label/label_cuts.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "planner/ir/axes.h"
#include "planner/ir/follower.h"
#include "planner/ir/group.h"
#include "planner/passes/label/parts.h"

namespace tilewright {
namespace {

// How fast a core computes the operator.
double speed_of(const Plan& plan, const Operator& op, int core) {
  const CoreSpec& spec = plan.hardware.core_of(core);
  if (!is_contraction(op.kind)) return spec.vector.lanes;
  return spec.matmul.macs_per_cycle(plan.tensors[op.inputs[0]].type);
}

// Of a grid of `counts` parts, row-major, on the cores in turn: how fast those are that have piece 0, 1, ... of
// dimension `d`.
std::vector<double> speeds_along(const Plan& plan, const Operator& op, const std::vector<std::int64_t>& counts,
                                 std::size_t d) {
  const auto product = [&](std::size_t from) {
    return std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(from), counts.end(), std::int64_t{1},
                           std::multiplies<>());
  };
  const std::int64_t parts = product(0), inner = product(d + 1);
  std::vector<double> speeds(static_cast<std::size_t>(counts[d]), 0.0);
  for (std::int64_t part = 0; part < parts; ++part)
    speeds[static_cast<std::size_t>(part / inner % counts[d])] += speed_of(plan, op, static_cast<int>(part));
  return speeds;
}

// In proportion to the speed of the cores that get them.
Cuts cuts_by_speed(const Plan& plan, const Operator& op, const Parts& parts) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const bool sums = parts.k > 1;
  const std::int64_t k = sums ? reduction_length(plan.graph, op) : 1, kernel = sums ? kernel_of(plan.graph, op) : 1;
  std::vector<std::int64_t> counts;
  for (std::size_t d = 0; d < out.size(); ++d)
    counts.push_back(std::min(parts.output[d], ceil_div(out[d], granule_of(plan, op, d))));
  counts.push_back(std::min(parts.k, ceil_div(k, kernel)));
  Cuts cuts;
  for (std::size_t d = 0; d < out.size(); ++d)
    cuts.output.push_back(cut_in_proportion(out[d], speeds_along(plan, op, counts, d), granule_of(plan, op, d)));
  if (counts.back() > 1) cuts.k = cut_in_proportion(k, speeds_along(plan, op, counts, out.size()), kernel);
  return cuts;
}

// `sums`: as of OperatorChoice.
Cuts planned_cuts(const Plan& plan, const Operator& op, std::int64_t sums) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const Parts parts = choose_parts(plan, op, sums);
  if (plan.options.by_speed && parts.per_group == 0) return cuts_by_speed(plan, op, parts);
  const Rounding rounding = plan.options.parallel == Parallel::kFree ? Rounding::kEven : plan.options.rounding;
  Cuts cuts;
  cuts.per_group = parts.per_group;
  for (std::size_t d = 0; d < out.size(); ++d)
    cuts.output.push_back(cut_pieces(out[d], parts.output[d], rounding, granule_of(plan, op, d)));
  if (parts.k > 1) cuts.k = cut_pieces(reduction_length(plan.graph, op), parts.k, rounding, kernel_of(plan.graph, op));
  return cuts;
}

// The ranges that given parts have of a dimension; the whole dimension where they are no grid.
template <typename RangeOf>
std::vector<Range> ranges_of(const std::vector<WorkItem>& items, std::int64_t size, RangeOf range_of) {
  std::vector<Range> ranges;
  for (const WorkItem& item : items) ranges.push_back(range_of(item));
  return consecutive(std::move(ranges), size).value_or(std::vector<Range>{{0, size}});
}

// Parts of the sum of given boxes; all of it in one where they are not alike in every box.
std::vector<Range> given_sums(const Plan& plan, const Operator& op, const Split& split) {
  const std::int64_t whole = reduction_length(plan.graph, op), kernel = kernel_of(plan.graph, op);
  std::vector<Range> ranges = ranges_of(split.items, whole, [](const WorkItem& item) { return item.k; });
  const bool between_channels = std::all_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.begin % kernel == 0 && range.end % kernel == 0;
  });
  return between_channels ? ranges : std::vector<Range>{{0, whole}};
}

// Cuts of a split given from outside; one that does not fit the output is told by the split pass.
Cuts given_cuts(const Plan& plan, const Operator& op, const Split& split) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  Cuts cuts;
  const bool fits = std::all_of(split.items.begin(), split.items.end(),
                                [&](const WorkItem& item) { return item.output.size() == out.size(); });
  for (std::size_t d = 0; d < out.size(); ++d)
    cuts.output.push_back(fits ? ranges_of(split.items, out[d], [d](const WorkItem& item) { return item.output.at(d); })
                               : std::vector<Range>{{0, out[d]}});
  const bool sums =
      std::any_of(split.items.begin(), split.items.end(), [](const auto& item) { return item.k.size() > 0; });
  if (sums && is_contraction(op.kind)) cuts.k = given_sums(plan, op, split);
  return cuts;
}

// Of any member. Parts of windows reach into those of their neighbours as far as the next window does; the cuts are
// those without it.
Cuts group_cuts(const Plan& plan, const Operator& op, const OperatorGroup& group) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const std::vector<std::int64_t> parts = parts_of(plan.graph, group, op);
  Cuts cuts;
  for (std::size_t d = 0; d < out.size(); ++d)
    cuts.output.push_back(cut_pieces(out[d], parts[d], Rounding::kEven, granule_of(plan, op, d)));
  return cuts;
}

// Those of the operator whose rows they are, where its parts hold whole rows.
std::optional<Cuts> cuts_of_leader(const Plan& plan, OperatorId id) {
  const auto leader = may_follow(plan, id);
  if (!leader) return std::nullopt;
  Cuts cuts = cuts_of(plan, *leader);
  if (cuts.k.size() > 1 || cuts.output.back().size() > 1) return std::nullopt;
  cuts.output.back() = {{0, 1}};
  return cuts;
}

}  // namespace

Cuts cuts_of(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (std::optional<Cuts> cuts = cuts_of_leader(plan, id)) return std::move(*cuts);
  if (const OperatorGroup* group = group_of(plan, id)) return group_cuts(plan, op, *group);
  const OperatorChoice* choice = plan.options.choice_of(id);
  const bool given = choice != nullptr && !choice->split.items.empty();
  return given ? given_cuts(plan, op, choice->split) : planned_cuts(plan, op, choice != nullptr ? choice->sums : 0);
}

}  // namespace tilewright
