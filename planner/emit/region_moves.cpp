#include "planner/emit/region_moves.h"

#include <algorithm>

#include "sim/isa/chip_map.h"

namespace tilewright {
namespace {

// How many memories of its kind after the nearest one an address lies.
class Distance {
 public:
  Distance(const Hardware& hardware, int core)
      : hardware_(hardware), map_(hardware), cluster_(hardware.cluster_of(core)) {}

  int to(Address address) const {
    if (!map_.is_dram(address)) return after(cluster_, map_.place_of(address).owner, hardware_.clusters);
    const DramSpec& dram = hardware_.dram;
    return after(hardware_.local_region(cluster_), dram.region_of(address), dram.regions);
  }

 private:
  static int after(int nearest, int memory, int count) { return (memory - nearest + count) % count; }

  const Hardware& hardware_;
  const ChipMap map_;
  const int cluster_;
};

// Transfers of one region, the nearest first.
std::vector<Transfer> nearest_first(const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                                    TransferKind kind, int core) {
  std::vector<Transfer> transfers = transfers_of(plan, region, chip, kind);
  if (transfers.size() < 2) return transfers;
  const Distance distance(plan.hardware, core);
  std::ranges::stable_sort(transfers, {}, [&](const Transfer& transfer) {
    return distance.to((kind == TransferKind::kLoad ? transfer.source : transfer.target).address);
  });
  return transfers;
}

}  // namespace

void load_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                 const std::vector<Slot>& targets) {
  for (const Transfer& transfer : nearest_first(plan, region, chip, TransferKind::kLoad, pipeline.core()))
    pipeline.load(Payload{transfer}, targets);
}

void store_region(Pipeline& pipeline, const Plan& plan, const TensorRegion& region, const ChipBox& chip, Slot from) {
  for (const Transfer& transfer : nearest_first(plan, region, chip, TransferKind::kStore, pipeline.core()))
    pipeline.emit(Unit::kStore, transfer, {from}, {});
}

}  // namespace tilewright
