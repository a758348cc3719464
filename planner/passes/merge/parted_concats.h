// Concatenations that move nothing since products and convolutions read the inputs where they are.
#pragma once

#include "planner/graph/graph.h"

namespace tilewright {

// `graph` with Attributes::in_parts set for each concatenation whose inputs could not be written into the result
// (ir/in_place.h) and which nothing reads but products and convolutions, as rows or images.
Graph with_parted_concats(const Graph& graph);

}  // namespace tilewright
