// needs:      label
// does:       gives every operator's output to the cores in boxes as the labels cut it
// guarantees: the parts of an operator cover its output once (partial results of one box: its sum once), none is empty,
//             no core has two
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void split(Plan& plan);
void verify_split(const Plan& plan);

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
