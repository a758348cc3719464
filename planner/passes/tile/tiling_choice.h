// From a point of the space of tilings to what the planner is told.
#pragma once

#include "planner/ir/tiling_point.h"

namespace tilewright {

// A plan as it stands when the parts are given to the cores: a graph as folded and fused, with types.
Plan typed_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options);

// What the planner is told so that operator `op` of a plan with types is run that way on the chip. Parts, partitions
// and tiles longer than their dimension are cut to it. Whether it fits is for make_plan() to say, by a UserError.
OperatorChoice choice_of(const TilingPoint& point, const Plan& plan, OperatorId op);
OperatorChoice choice_of(const TilingPoint& point, const Graph& graph, OperatorId op, const Hardware& hardware,
                         DataType type);

// Why the chip cannot run `choice`, which holds parts and tilings; empty when it can.
std::string check_choice(const OperatorChoice& choice, const Plan& plan);
std::string check_choice(const OperatorChoice& choice, const Graph& graph, const Hardware& hardware, DataType type);

}  // namespace tilewright
