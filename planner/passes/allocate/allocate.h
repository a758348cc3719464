// needs:      split, tile, order
// does:       decides which tensors stay in cluster memory, writes it to their labels, and gives every tensor its
//             addresses where its label says; a reshape's output shares its input's memory
// guarantees: pieces cover their tensor, are 256-byte aligned, lie in one region each and overlap nothing that is
//             needed at the same time
//
// On a chip whose regions are not equally far a tensor is cut where the cores that produce it (constants and inputs:
// that read it) divide it, and each piece lies next to its core's cluster. A constant of one operator is cut on every
// chip, one piece for each partition that a core loads, so that the loads run through consecutive addresses;
// partitions that cores next to several regions load alike are shared out among these, a run of them in each. Where
// the pieces lie in their regions is region_memory.h's. What stays in cluster memory is cut by the clusters of those
// who write it (cluster_stores.h, cluster_memory.h).
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void allocate(Plan& plan);
void verify_allocate(const Plan& plan);

}  // namespace tilewright
