#include "planner/ir/reduction_ranges.h"

#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"

namespace tilewright {

std::vector<Range> reduction_ranges(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (!is_contraction(op.kind)) return {};
  const DynamicLabel& label = plan.operators[id].labels.inputs[0];
  for (std::size_t d = 0; d < label.order.size(); ++d) {
    if (axis_of(plan.graph, op, 0, d) != kReducedAxis) continue;
    const DimensionSplit* cut = label.split_of(label.order[d]);
    std::vector<Range> ranges = cut != nullptr ? cut->ranges : std::vector<Range>{};
    for (Range& range : ranges)
      range = {range.begin * kernel_of(plan.graph, op), range.end * kernel_of(plan.graph, op)};
    return ranges;
  }
  return {};
}

}  // namespace tilewright
