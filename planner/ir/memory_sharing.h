// Which tensors lie in the same bytes of memory, one after the other.
#pragma once

#include <vector>

#include "planner/ir/lifetime.h"
#include "planner/ir/plan.h"

namespace tilewright {

// A piece of a tensor with memory of its own.
struct PlacedMemory {
  TensorId tensor = -1;
  std::size_t piece = 0;
  Address begin = 0, end = 0;
  Lifetime life;
  bool in_dram = true;  // else in the memory of a cluster
  bool overlaps(const PlacedMemory& other) const { return begin < other.end && other.begin < end; }
};

// One run of addresses in which every piece shares bytes with another one of the run; alone where nothing is shared.
struct MemoryRun {
  Address begin = 0, end = 0;
  std::vector<PlacedMemory> pieces;  // by address
  bool in_dram() const { return pieces.front().in_dram; }
};

// By address. Needs what lifetimes() needs, and places.
std::vector<MemoryRun> memory_runs(const Plan& plan);

// Bytes of DRAM that tensors lie in, copies included.
Bytes memory_taken(const Plan& plan);

// By TensorId: whether other tensors lie in its memory before or after it, so that its bytes need not be there when the
// program ends; a renaming as the tensor that it renames.
std::vector<bool> tensors_sharing_memory(const Plan& plan);

}  // namespace tilewright
