#include "planner/passes/region_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/passes/access.h"
#include "planner/passes/lifetime.h"
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

std::vector<PieceRef> pieces_of(const Plan& plan, bool hidden) {
  const auto is_hidden = hidden_memory(plan);
  std::vector<PieceRef> pieces;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const Tensor& tensor = plan.graph.tensor(id);
    if (is_hidden[id] != hidden) continue;
    const TensorPlan& placed = plan.tensors[id];
    for (std::size_t i = 0; i < placed.pieces.size(); ++i)
      pieces.push_back({id, i, piece_bytes(placed, tensor.shape, placed.pieces[i])});
  }
  return pieces;
}

void put(Plan& plan, const PieceRef& ref, const PlacedPiece& where) {
  PlacedPiece& piece = plan.tensors[ref.tensor].pieces[ref.piece];
  piece.address = where.address;
  piece.region = where.region;
}

bool place_apart(Plan& plan, Bytes held) {
  RegionAllocator allocator(plan.hardware, held + plan.hardware.dram.region_capacity() / 16);
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    auto& pieces = plan.tensors[id].pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Bytes bytes = piece_bytes(plan.tensors[id], plan.graph.tensor(id).shape, pieces[i]);
      const auto room = allocator.find_room(bytes, pieces[i].region);
      if (!room) return false;
      put(plan, {id, i, bytes}, *room);
    }
  }
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
    int region = plan_.tensors[ref.tensor].pieces[ref.piece].region;
    if (regions_[region].lowest(bytes, life) + bytes > most_) region = emptiest(bytes, life);
    const Bytes at = regions_[region].lowest(bytes, life);
    if (at + bytes > most_) fail(fmt::format("tensor '{}'", plan_.graph.tensor(ref.tensor).name), ref.bytes, at, most_);
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
  RegionAllocator allocator(plan.hardware, held);
  for (const PieceRef& ref : pieces_of(plan, false))
    put(plan, ref,
        allocator.allocate(ref.bytes, plan.tensors[ref.tensor].pieces[ref.piece].region,
                           fmt::format("tensor '{}'", plan.graph.tensor(ref.tensor).name)));
  auto hidden = pieces_of(plan, true);
  std::stable_sort(hidden.begin(), hidden.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  const auto lives = lifetimes(plan);
  SharedPlacement placement(plan, allocator, plan.hardware.dram.region_capacity() - held);
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
