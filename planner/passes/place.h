// needs:      split, tile
// does:       gives every tensor its DRAM addresses; a reshape's output shares its input's memory
// guarantees: pieces cover their tensor, are 256-byte aligned, lie in one region each and overlap nothing
//
// On a chip whose regions are not equally far a tensor is cut where the cores that produce it (constants and inputs:
// that read it) divide it, and each piece lies next to its core's cluster. A constant of one operator is cut on every
// chip, one piece for each partition that a core loads, so that the loads run through consecutive addresses.
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void place(Plan& plan);
void verify_place(const Plan& plan);

// Hands out DRAM, region by region.
class RegionAllocator {
 public:
  explicit RegionAllocator(const Hardware& hardware);
  // Continues after what the plan has placed.
  explicit RegionAllocator(const Plan& plan);
  // `bytes` in `region`, or in the emptiest one when it is full there. UserError naming `what` when nothing has room.
  PlacedPiece allocate(Bytes bytes, int region, const std::string& what);

 private:
  Bytes region_capacity_;
  std::vector<Bytes> used_;
};

inline constexpr Bytes kPlacementAlignment = 256;

}  // namespace tilewright
