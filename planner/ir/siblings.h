// Siblings: products, or convolutions with windows alike, that multiply the same tensor by constants of their own. One
// with all their weights, one behind the other, computes all their results and loads what they share once.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Where an operator's outputs are counted: the dimension of its weights, and of its result.
std::size_t weight_dimension(const Operator& op);
std::size_t result_dimension(const Graph& graph, const Operator& op);

// Why these operators cannot become one; empty when they can.
std::string sibling_fault(const Graph& graph, const std::vector<OperatorId>& members);

// All that could be merged, each operator in one set at most, in the order of the graph.
std::vector<GroupChoice::Group> sibling_sets(const Graph& graph);

// The name of what a set becomes.
std::string merged_name(const std::vector<std::string>& members);

}  // namespace tilewright
