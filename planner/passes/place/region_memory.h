// DRAM region by region: who gets which addresses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/passes/plan.h"

namespace tilewright {

inline constexpr Bytes kPlacementAlignment = 256;

// Gives every piece, which has its region, an address there, or in the emptiest region when its own is full.
//
// Tensors lie apart as long as there is room, less a sixteenth for instructions: then nobody waits for memory. Else, or
// if the options say so, hidden tensors share memory: inputs, constants and outputs lie below, and above them hidden
// ones, largest first, each at the lowest addresses that are free while it is needed (lifetime.h). UserError naming the
// first tensor without room.
void assign_addresses(Plan& plan);

// Hands out DRAM for good, upwards.
class RegionAllocator {
 public:
  // `held` bytes of each region are not handed out.
  explicit RegionAllocator(const Hardware& hardware, Bytes held = 0);
  // Continues after what the plan has placed.
  explicit RegionAllocator(const Plan& plan);
  // `bytes` in `region`, or in the emptiest one when it is full there; nothing when that is full, too.
  std::optional<PlacedPiece> find_room(Bytes bytes, int region);
  // As find_room(). UserError naming `what` when nothing has room.
  PlacedPiece allocate(Bytes bytes, int region, const std::string& what);
  Bytes used(int region) const { return used_[region]; }

 private:
  Bytes region_bytes_, most_;
  std::vector<Bytes> used_;
};

}  // namespace tilewright
