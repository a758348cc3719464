// Other ways to cut an operator over the cores of a chip whose memories are not equally far: one dimension goes over
// the clusters, so that what each of them reads and writes is one range of it.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Splits of the whole output, without sums, that give every core a part; `own`, how the operator is split, is none of
// them. A product's are those whose parts are predicted to be the fastest by themselves (estimate/part_time.h), at most
// constants().neighbour_candidates.
std::vector<Split> split_candidates(const Plan& plan, const Operator& op, const Split& own);

}  // namespace tilewright
