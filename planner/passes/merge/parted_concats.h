// Concatenations that move nothing since who reads the result loads the inputs from where they are.
#pragma once

#include "planner/graph/graph.h"

namespace tilewright {

// `graph` with Attributes::in_parts set for each concatenation whose inputs could not be written into the result
// (ir/in_place.h) and which all that reads it loads box by box: not what moves elements itself, nor as weights.
Graph with_parted_concats(const Graph& graph);

}  // namespace tilewright
