#include "planner/passes/place/region_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/passes/access.h"
#include "planner/passes/place/lifetime.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

struct PieceRef {
  TensorId tensor;
  std::size_t piece;
  Bytes bytes;
};

[[noreturn]] void fail(const std::string& what, Bytes bytes, Bytes used, Bytes most) {
  throw UserError(
      what, fmt::format("no room in DRAM for {} bytes: {} of {} bytes of each region are taken", bytes, used, most));
}

std::vector<PieceRef> all_pieces(const Plan& plan) {
  std::vector<PieceRef> pieces;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& placed = plan.tensors[id];
    for (std::size_t i = 0; i < placed.pieces.size(); ++i)
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
  RegionAllocator allocator(plan.hardware, held + plan.hardware.dram.region_capacity() / 16);
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

// Places in one region for pieces that share it.
class SharedRegion {
 public:
  explicit SharedRegion(Bytes begin) : begin_(begin) {}
  // The lowest address from which `bytes` are free during `life`.
  Bytes lowest(Bytes bytes, const Lifetime& life) const {
    Bytes at = begin_;
    for (const Taken& taken : taken_) {
      if (!taken.life.meets(life)) continue;
      if (at + bytes <= taken.begin) break;
      at = std::max(at, taken.end);
    }
    return at;
  }
  void take(Bytes begin, Bytes bytes, const Lifetime& life) {
    const auto behind = std::find_if(taken_.begin(), taken_.end(), [&](const Taken& t) { return t.begin > begin; });
    taken_.insert(behind, {begin, begin + bytes, life});
  }

 private:
  struct Taken {
    Bytes begin, end;
    Lifetime life;
  };
  Bytes begin_;
  std::vector<Taken> taken_;  // by address
};

class SharedPlacement {
 public:
  SharedPlacement(Plan& plan, const RegionAllocator& below, Bytes most) : plan_(plan), most_(most) {
    for (int region = 0; region < plan.hardware.dram.regions; ++region) regions_.emplace_back(below.used(region));
  }

  void add(const PieceRef& ref, const Lifetime& life) {
    const Bytes bytes = round_up(ref.bytes, kPlacementAlignment);
    int region = region_of(plan_, ref);
    if (regions_[region].lowest(bytes, life) + bytes > most_) region = emptiest(bytes, life);
    const Bytes at = regions_[region].lowest(bytes, life);
    if (at + bytes > most_) fail(name_of(plan_, ref), ref.bytes, at, most_);
    regions_[region].take(at, bytes, life);
    put(plan_, ref, {{}, region * plan_.hardware.dram.region_capacity() + at, region});
  }

 private:
  int emptiest(Bytes bytes, const Lifetime& life) const {
    const auto lower = [&](const SharedRegion& a, const SharedRegion& b) {
      return a.lowest(bytes, life) < b.lowest(bytes, life);
    };
    return static_cast<int>(std::min_element(regions_.begin(), regions_.end(), lower) - regions_.begin());
  }

  Plan& plan_;
  Bytes most_;
  std::vector<SharedRegion> regions_;
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
  const Bytes held = plan.options.memory_held / plan.hardware.dram.regions;
  if (plan.options.share_memory || !place_apart(plan, held)) place_shared(plan, held);
}

RegionAllocator::RegionAllocator(const Hardware& hardware, Bytes held)
    : region_bytes_(hardware.dram.region_capacity()), most_(region_bytes_ - held), used_(hardware.dram.regions, 0) {}

RegionAllocator::RegionAllocator(const Plan& plan) : RegionAllocator(plan.hardware) {
  const auto use = [&](Address address, Bytes bytes) {
    Bytes& used = used_[address / region_bytes_];
    used = std::max(used, round_up(address % region_bytes_ + bytes, kPlacementAlignment));
  };
  for (std::size_t id = 0; id < plan.tensors.size(); ++id)
    for (const PlacedPiece& piece : plan.tensors[id].pieces)
      use(piece.address, piece_bytes(plan.tensors[id], plan.graph.tensor(static_cast<TensorId>(id)).shape, piece));
  for (const OperatorPlan& op : plan.operators)
    for (const PartialPlan& partial : op.partials)
      for (const Address address : {partial.space == Space::kDram ? partial.address : -1, partial.copy})
        if (address >= 0 && partial.bytes > 0) use(address, partial.bytes);
}

std::optional<PlacedPiece> RegionAllocator::find_room(Bytes bytes, int region) {
  const Bytes rounded = round_up(bytes, kPlacementAlignment);
  if (used_[region] + rounded > most_)
    region = static_cast<int>(std::min_element(used_.begin(), used_.end()) - used_.begin());
  if (used_[region] + rounded > most_) return std::nullopt;
  const PlacedPiece piece{{}, region * region_bytes_ + used_[region], region};
  used_[region] += rounded;
  return piece;
}

PlacedPiece RegionAllocator::allocate(Bytes bytes, int region, const std::string& what) {
  const auto room = find_room(bytes, region);
  if (!room) fail(what, bytes, *std::min_element(used_.begin(), used_.end()), most_);
  return *room;
}

}  // namespace tilewright
