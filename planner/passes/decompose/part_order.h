// Parts of neighbouring operators, side by side.
#pragma once

#include "planner/graph/graph.h"

namespace tilewright {

// The graph without slices that are exactly what one part wrote, and without concatenations that nobody reads any more.
Graph with_parts_joined(const Graph& graph);

// The same operators; what reads a part comes right behind it, with the parts that it reads besides, so that the part
// is needed no longer than that.
Graph in_depth(const Graph& graph);

}  // namespace tilewright
