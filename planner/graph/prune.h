// Removal of what no output depends on.
#pragma once

#include "planner/graph/graph.h"

namespace tilewright {

// A graph of the operators that an output depends on, with the tensors they use and all inputs, in the same order.
Graph without_dead_parts(const Graph& graph);

}  // namespace tilewright
