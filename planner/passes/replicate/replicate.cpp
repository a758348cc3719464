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
    for (TensorPlan& tensor : plan_.tensors) copy(missing(tensor));
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

  // A copy of a piece of a constant in a memory that has none.
  struct Missing {
    std::size_t segment;
    PlacedPiece* piece;
    int region;
  };

  // One of a piece's readers' memories keeps the piece itself, its own if that is one of them.
  std::vector<Missing> missing(TensorPlan& tensor) {
    std::vector<Missing> found;
    for (PlacedPiece& piece : tensor.pieces) {
      if (!piece.in_dram()) continue;
      const std::size_t segment = segment_at(piece.address);
      std::set<int> regions = users_[segment];
      if (plan_.program.segments[segment].kind != SegmentKind::kConstant || regions.size() < 2) continue;
      regions.erase(regions.contains(piece.region) ? piece.region : *regions.begin());
      for (const int region : regions) found.push_back({segment, &piece, region});
    }
    return found;
  }

  // Of one tensor, all or none: where some readers still go to one memory, that one keeps all of them waiting.
  void copy(const std::vector<Missing>& copies) {
    RegionAllocator room = room_;
    std::vector<Address> places;
    for (const auto& [segment, piece, region] : copies) {
      const auto place = room.find_room(plan_.program.segments[segment].bytes, region);
      if (!place || place->region != region) return;
      places.push_back(place->address);
    }
    room_ = std::move(room);
    for (std::size_t i = 0; i < copies.size(); ++i) add(copies[i], places[i]);
  }

  void add(const Missing& copy, Address place) {
    const Segment& original = plan_.program.segments[copy.segment];
    copies_.push_back(
        {copy_name(original.name, copy.piece->copies.size()), original.kind, original.type, place, original.bytes});
    copy.piece->copies.push_back({place, copy.region});
    moves_.emplace(std::pair{copy.segment, copy.region}, place - original.address);
  }

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
