// The plan of a part of a network that can be finished for any order of its operators.
#pragma once

#include <string_view>

#include "planner/ir/plan.h"
#include "planner/search/order/operator_dag.h"

namespace tilewright {

// A plan up to the tilings, and its operators as nodes. Node i of `dag` is operator dag.ops[i] of plan.graph.
struct SchedulePart {
  Plan tiled;
  ScheduleDag dag;
};

// Plans are the same for any order up to this pass.
inline constexpr std::string_view kLastPassOfAnyOrder = "tile";

// The whole graph, folded and fused. UserError for options that say which operators are merged.
SchedulePart whole_part(const Graph& graph, const Hardware& hardware, const PlanOptions& options);

// The sub-graph of `nodes` (ascending; they are numbered from 0 on in the part), split and tiled as in the whole. What
// comes from outside is an input and what goes outside an output. Tensors and operators are named by their position, so
// that equal parts of a network have equal programs.
SchedulePart sub_part(const SchedulePart& whole, const std::vector<int>& nodes);

// The rest of the passes for an order of the part's nodes. UserError when the chip has no room for that order.
// `verify`: as in run_passes.
Plan plan_in_order(const SchedulePart& part, const NodeOrder& order, bool verify = true);

// The order as PlanOptions::order takes it, and the execution order of the graph's operators with its renamings.
std::vector<std::string> labels_of(const SchedulePart& part, const NodeOrder& order);
std::vector<OperatorId> operators_of(const SchedulePart& part, const NodeOrder& order);

}  // namespace tilewright
