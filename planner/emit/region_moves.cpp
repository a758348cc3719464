#include "planner/emit/region_moves.h"

#include <algorithm>

#include "planner/emit/walk_turn.h"
#include "sim/isa/chip_map.h"

namespace tilewright {
namespace {

// The region of DRAM that a core begins with, FirstMemory::kInTurn.
int region_in_turn(const Hardware& hardware, int core) {
  return (hardware.local_region(hardware.cluster_of(core)) + memories_behind(hardware, core)) % hardware.dram.regions;
}

// How many memories of its kind an address lies behind the one that a core begins with.
class Turn {
 public:
  Turn(const Hardware& hardware, int core, FirstMemory first)
      : hardware_(hardware),
        map_(hardware),
        cluster_(hardware.cluster_of(core)),
        first_region_(first == FirstMemory::kInTurn ? region_in_turn(hardware, core)
                                                    : hardware.local_region(cluster_)) {}

  int of(Address address) const {
    if (!map_.is_dram(address)) return behind(cluster_, map_.place_of(address).owner, hardware_.clusters);
    const DramSpec& dram = hardware_.dram;
    return behind(first_region_, dram.region_of(address), dram.regions);
  }

 private:
  static int behind(int first, int memory, int count) { return (memory - first + count) % count; }

  const Hardware& hardware_;
  const ChipMap map_;
  const int cluster_, first_region_;
};

// Transfers of one region in the order in which the core makes them.
std::vector<Transfer> in_turn(const Plan& plan, const TensorRegion& region, const ChipBox& chip, TransferKind kind,
                              int core, FirstMemory first) {
  std::vector<Transfer> transfers = transfers_of(plan, region, chip, kind);
  if (transfers.size() < 2) return transfers;
  const Turn turn(plan.hardware, core, first);
  std::ranges::stable_sort(transfers, {}, [&](const Transfer& transfer) {
    return turn.of((kind == TransferKind::kLoad ? transfer.source : transfer.target).address);
  });
  return transfers;
}

}  // namespace

void load_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                 const std::vector<Slot>& targets, FirstMemory first) {
  for (const Transfer& transfer : in_turn(plan, region, chip, TransferKind::kLoad, pipeline.core(), first))
    pipeline.load(Payload{transfer}, targets);
}

void store_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip, Slot from) {
  for (const Transfer& transfer :
       in_turn(plan, region, chip, TransferKind::kStore, pipeline.core(), FirstMemory::kNearest))
    pipeline.emit(Unit::kStore, transfer, {from}, {});
}

}  // namespace tilewright
