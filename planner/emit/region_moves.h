// Moves of a region of a tensor between the core of a pipeline and the memories that the tensor's pieces lie in.
//
// Pieces lie in several memories, and cores that need all of them begin at the same time: what lies nearest to a core
// moves first, then the memories behind it in turn, so that every memory is at work from the beginning, not all cores
// at the first one.
#pragma once

#include <vector>

#include "planner/emit/pipeline.h"
#include "planner/ir/access.h"

namespace tilewright {

// In the pipeline's current step. `targets`: the slots that the region fills.
void load_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                 const std::vector<Slot>& targets);
// `from`: the slot that holds what is stored.
void store_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip, Slot from);

}  // namespace tilewright
