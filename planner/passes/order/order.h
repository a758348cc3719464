// needs:      split, tile
// does:       puts the operators in the order that PlanOptions::order names
// guarantees: plan.order holds every operator once, behind the operators whose results it reads
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

void order(Plan& plan);
void verify_order(const Plan& plan);

// What an order calls an operator: its name where no other operator has it, else "NAME -> OUTPUT TENSOR".
std::vector<std::string> operator_labels(const Graph& graph);

// The operators of `graph` by their labels. Renamings of dimensions may be left out: they run nothing, and stand as
// early as they can. UserError naming `where` and the first operator that the graph does not have, that stands twice,
// that stands before an operator whose result it reads, or that is missing.
std::vector<OperatorId> find_order(const Graph& graph, const std::vector<std::string>& labels,
                                   const std::string& where);

}  // namespace tilewright
