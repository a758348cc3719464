#include "planner/passes/label/label_cuts.h"

#include <algorithm>

#include "planner/ir/axes.h"
#include "planner/ir/group.h"
#include "planner/passes/label/parts.h"

namespace tilewright {
namespace {

// `sums`: as of OperatorChoice.
Cuts planned_cuts(const Plan& plan, const Operator& op, std::int64_t sums) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const Parts parts = choose_parts(plan, op, sums);
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

}  // namespace

Cuts cuts_of(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (const OperatorGroup* group = group_of(plan, id)) return group_cuts(plan, op, *group);
  const OperatorChoice* choice = plan.options.choice_of(id);
  const bool given = choice != nullptr && !choice->split.items.empty();
  return given ? given_cuts(plan, op, choice->split) : planned_cuts(plan, op, choice != nullptr ? choice->sums : 0);
}

}  // namespace tilewright
