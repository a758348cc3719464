#include "planner/passes/allocate/region_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/access.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/region_allocator.h"
#include "planner/passes/allocate/row_gaps.h"
#include "planner/passes/allocate/shared_memory.h"

namespace tilewright {
namespace {

struct PieceRef {
  TensorId tensor;
  std::size_t piece;
  Bytes bytes;
};

std::vector<PieceRef> all_pieces(const Plan& plan) {
  std::vector<PieceRef> pieces;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& placed = plan.tensors[id];
    for (std::size_t i = 0; i < placed.pieces.size(); ++i)
      if (placed.pieces[i].in_dram())
        pieces.push_back({id, i, piece_bytes(placed, plan.graph.tensor(id).shape, placed.pieces[i])});
  }
  return pieces;
}

std::string name_of(const Plan& plan, const PieceRef& ref) {
  return fmt::format("tensor '{}'", plan.graph.tensor(ref.tensor).name);
}

int region_of(const Plan& plan, const PieceRef& ref) { return plan.tensors[ref.tensor].pieces[ref.piece].region; }

void put(Plan& plan, const PieceRef& ref, const PlacedPiece& where) {
  PlacedPiece& piece = plan.tensors[ref.tensor].pieces[ref.piece];
  piece.address = where.address;
  piece.region = where.region;
}

// False, and nothing placed, when there is no room.
bool place_apart(Plan& plan, Bytes held) {
  RegionAllocator allocator(plan.hardware, held + program_memory_apart(plan) / plan.hardware.dram.regions);
  const auto pieces = all_pieces(plan);
  std::vector<PlacedPiece> rooms;
  for (const PieceRef& ref : pieces) {
    const auto room = allocator.find_room(ref.bytes, region_of(plan, ref));
    if (!room) return false;
    rooms.push_back(*room);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) put(plan, pieces[i], rooms[i]);
  return true;
}

class SharedPlacement {
 public:
  SharedPlacement(Plan& plan, const RegionAllocator& below, Bytes most) : plan_(plan), most_(most) {
    for (int region = 0; region < plan.hardware.dram.regions; ++region) regions_.emplace_back(below.used(region));
  }

  void add(const PieceRef& ref, const Lifetime& life) {
    const Bytes bytes = round_up(ref.bytes, constants().tensor_alignment);
    int region = region_of(plan_, ref);
    if (regions_[region].lowest(bytes, life) + bytes > most_) region = emptiest(bytes, life);
    const Bytes at = regions_[region].lowest(bytes, life);
    if (at + bytes > most_) no_room_in_dram(name_of(plan_, ref), ref.bytes, at, most_);
    regions_[region].take(at, bytes, life);
    put(plan_, ref, {{}, region * plan_.hardware.dram.region_capacity() + at, region});
  }

 private:
  int emptiest(Bytes bytes, const Lifetime& life) const {
    const auto lower = [&](const SharedMemory& a, const SharedMemory& b) {
      return a.lowest(bytes, life) < b.lowest(bytes, life);
    };
    return static_cast<int>(std::min_element(regions_.begin(), regions_.end(), lower) - regions_.begin());
  }

  Plan& plan_;
  Bytes most_;
  std::vector<SharedMemory> regions_;
};

void place_shared(Plan& plan, Bytes held) {
  RegionAllocator below(plan.hardware, held);
  const auto is_hidden = hidden_memory(plan);
  std::vector<PieceRef> hidden;
  for (const PieceRef& ref : all_pieces(plan))
    if (is_hidden[ref.tensor])
      hidden.push_back(ref);
    else
      put(plan, ref, below.allocate(ref.bytes, region_of(plan, ref), name_of(plan, ref)));
  std::stable_sort(hidden.begin(), hidden.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  const auto lives = lifetimes(plan);
  SharedPlacement placement(plan, below, plan.hardware.dram.region_capacity() - held);
  for (const PieceRef& ref : hidden) placement.add(ref, lives[ref.tensor]);
}

}  // namespace

void assign_addresses(Plan& plan) {
  const int regions = plan.hardware.dram.regions;
  const Bytes held = plan.options.memory_held / regions;
  if (!plan.options.share_memory && place_apart(plan, held)) return;
  close_row_gaps(plan);
  if (plan.options.share_memory || !place_apart(plan, held))
    place_shared(plan, held + plan.options.program_memory / regions);
}

}  // namespace tilewright
