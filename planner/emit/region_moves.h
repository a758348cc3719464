// Moves of a region of a tensor between the core of a pipeline and the memories that the tensor's pieces lie in.
//
// Pieces lie in several memories, and cores that need all of them begin at the same time: each takes them in turn from
// the one that it begins with, so that every memory is at work from the beginning, not all cores at the first one.
#pragma once

#include <vector>

#include "planner/emit/pipeline.h"
#include "planner/ir/access.h"

namespace tilewright {

// Which memory a core begins with.
enum class FirstMemory {
  kNearest,
  // Of the regions of DRAM the nearest for the first core of a cluster, the one behind it for the second, ...: where
  // all of them read at once, they do not share the one link that leads to the cluster from one region. Where what one
  // of them reads serves the others (Hardware::shares_loads()), as above: they go together.
  kInTurn,
};

// In the pipeline's current step. `targets`: the slots that the region fills.
void load_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                 const std::vector<Slot>& targets, FirstMemory first = FirstMemory::kNearest);
// `from`: the slot that holds what is stored.
void store_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip, Slot from);

}  // namespace tilewright
