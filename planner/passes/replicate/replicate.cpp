#include "planner/passes/replicate/replicate.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/ir/access.h"
#include "planner/ir/region_allocator.h"
#include "sim/isa/dram_boxes.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

bool asks_for_copies(const Plan& plan) {
  return plan.options.replicate && plan.hardware.dram.regions > 1 && plan.hardware.network.multicast == 0 &&
         plan.options.placement != Placement::kRoundRobin;
}

class Replicator {
 public:
  explicit Replicator(Plan& plan)
      : plan_(plan), table_(plan.program), users_(plan.program.segments.size()), room_(plan) {}

  void run() {
    each_access([&](std::size_t segment, int region, Address&) { users_[segment].insert(region); });
    for (const auto& [segment, piece] : constants()) copy(segment, *piece);
    each_access([&](std::size_t segment, int region, Address& address) {
      const auto at = moves_.find({segment, region});
      if (at != moves_.end()) address += at->second;
    });
    std::ranges::move(copies_, std::back_inserter(plan_.program.segments));
  }

 private:
  // `visit(segment, the region next to the core, the address)`.
  template <typename Visit>
  void each_access(const Visit& visit) {
    for (std::size_t core = 0; core < plan_.program.cores.size(); ++core) {
      const int region = plan_.hardware.local_region(plan_.hardware.cluster_of(static_cast<int>(core)));
      for (Instruction& instruction : plan_.program.cores[core].instructions)
        for (Box* box : dram_boxes(instruction)) visit(segment_at(box->address), region, box->address);
    }
  }

  std::size_t segment_at(Address address) const { return static_cast<std::size_t>(table_.find(address, address + 1)); }

  // The segments of constants, each with the piece of a tensor that it is.
  std::map<std::size_t, PlacedPiece*> constants() {
    std::map<std::size_t, PlacedPiece*> found;
    for (TensorPlan& tensor : plan_.tensors)
      for (PlacedPiece& piece : tensor.pieces) {
        if (!piece.in_dram()) continue;
        const std::size_t segment = segment_at(piece.address);
        if (plan_.program.segments[segment].kind == SegmentKind::kConstant) found.emplace(segment, &piece);
      }
    return found;
  }

  // One of the readers' memories keeps the constant itself, its own if that is one of them.
  void copy(std::size_t segment, PlacedPiece& piece) {
    std::set<int> regions = users_[segment];
    if (regions.size() < 2) return;
    regions.erase(regions.contains(piece.region) ? piece.region : *regions.begin());
    for (const int region : regions) copy_to(segment, piece, region);
  }

  void copy_to(std::size_t segment, PlacedPiece& piece, int region) {
    const Segment& original = plan_.program.segments[segment];
    if (room_.used(region) + original.bytes > plan_.hardware.dram.region_capacity() * 3 / 4 - held()) return;
    const PlacedPiece place = *room_.find_room(original.bytes, region);
    copies_.push_back(
        {copy_name(original.name, piece.copies.size()), original.kind, original.type, place.address, original.bytes});
    piece.copies.push_back({place.address, region});
    moves_.emplace(std::pair{segment, region}, place.address - original.address);
  }

  Bytes held() const { return plan_.options.memory_held / plan_.hardware.dram.regions; }

  Plan& plan_;
  const SegmentTable table_;
  std::vector<std::set<int>> users_;  // by segment: regions next to cores that reach it
  RegionAllocator room_;
  std::vector<Segment> copies_;
  std::map<std::pair<std::size_t, int>, Address> moves_;  // by segment and region: how far away the copy lies
};

}  // namespace

void replicate(Plan& plan) {
  if (asks_for_copies(plan)) Replicator(plan).run();
}

void verify_replicate(const Plan& plan) { expect_legal(plan.program, plan.hardware); }

}  // namespace tilewright
