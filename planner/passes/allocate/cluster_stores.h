// Which results between operators stay in the addressed memory of clusters from the operator that writes them to the
// last one that reads them.
#pragma once

#include "planner/ir/plan.h"
#include "planner/passes/allocate/tensor_cuts.h"

namespace tilewright {

// Writes to the label of every tensor where it lies: `cluster` (each piece next to the core that writes it), `clusterN`
// (all of it there) or `mem`. Labels of outputs stay: they say where partial results meet.
//
// Without PlanOptions::stores those results are taken whose writers and readers are predicted to take less time with
// them there (planner/estimate/store_time.h), first what saves most per byte and time that it is kept, as far as there
// is room. UserError, naming file and line, for given stores that the plan or the chip cannot have.
void choose_stores(Plan& plan, const TensorCuts& cuts);

// Whether the label of a tensor with memory of its own names cluster memory.
bool lies_in_clusters(const Plan& plan, TensorId id);

// Cuts it into pieces by its label; without addresses.
void set_cluster_pieces(Plan& plan, TensorId id, const TensorCuts& cuts);

}  // namespace tilewright
