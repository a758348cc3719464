// Where the loops of a contraction lie in its output, and grids of boxes over an output.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Where the three directions of a contraction lie in its output.
struct Directions {
  std::size_t batch, m, n;  // batch: the first longer than one; the rank of the output when there is none
  std::int64_t granule_m;   // a grouped convolution is cut between groups
};
Directions directions_of(const Plan& plan, const Operator& op);

// Boxes that cut `shape` into parts[d] pieces along each dimension d, row-major; piece sizes differ by at most one
// `granule[d]` (empty: ones).
std::vector<BoxRange> cut_grid(const Shape& shape, const std::vector<std::int64_t>& parts,
                               const std::vector<std::int64_t>& granule = {});

}  // namespace tilewright
