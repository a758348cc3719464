// DRAM region by region, handed out upwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "sim/base/error.h"

namespace tilewright {

// What a plan needs is more than the chip's DRAM: another plan may need less.
class NoRoomInDram : public UserError {
 public:
  using UserError::UserError;
};

// What `plan` returns; nothing where it has no room in DRAM.
template <typename MakePlan>
std::optional<Plan> if_room(const MakePlan& plan) {
  try {
    return plan();
  } catch (const NoRoomInDram&) {
    return {};
  }
}

// DRAM, evenly of all regions, that is kept from tensors where each has room of its own: what the options say, else a
// share of all.
Bytes program_memory_apart(const Plan& plan);

// NoRoomInDram: `what` needs `bytes` where `used` of `most` bytes of each region are taken.
[[noreturn]] void no_room_in_dram(const std::string& what, Bytes bytes, Bytes used, Bytes most);

// NoRoomInDram naming the first input or output of the network that is larger than all of the DRAM: nothing need be
// planned then. Needs types.
void check_largest_tensor(const Plan& plan);

// Hands out DRAM for good, upwards.
class RegionAllocator {
 public:
  // `held` bytes of each region are not handed out.
  explicit RegionAllocator(const Hardware& hardware, Bytes held = 0);
  // Continues after what the plan has placed; PlanOptions::memory_held is not handed out.
  explicit RegionAllocator(const Plan& plan);
  // `bytes` in `region`, or in the emptiest one when it is full there; nothing when that is full, too.
  std::optional<PlacedPiece> find_room(Bytes bytes, int region);
  // As find_room(). NoRoomInDram naming `what` when nothing has room.
  PlacedPiece allocate(Bytes bytes, int region, const std::string& what);
  Bytes used(int region) const { return used_[region]; }

 private:
  Bytes region_bytes_, most_;
  std::vector<Bytes> used_;
};

}  // namespace tilewright
