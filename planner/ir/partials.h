// What producers and consumers of partial results agree on.
#pragma once

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/plan.h"
#include "sim/base/owners.h"
#include "sim/isa/chip_map.h"

namespace tilewright {

// Flag of a core that says: a tile of the partial result of `from` lies ready. Apart from the flags that order
// operators.
inline constexpr int kPartialFlags = 1 << 15;
inline int partial_flag(int from) { return kPartialFlags + from; }

// Accumulate buffer that a part with partial results to add keeps free for them: room for two pieces at least.
inline Bytes partial_area(const Hardware& hardware) {
  const Bytes alignment = constants().buffer_alignment;
  const Bytes share = hardware.core.accumulator / constants().partial_area_divisor / alignment * alignment;
  return std::max(share, 2 * alignment);
}

// The parts that have the box of `item`, in order: those that add up one result, or itself alone.
std::vector<std::size_t> parts_of_box(const std::vector<WorkItem>& items, std::size_t item);

// Who adds up which partial results of an operator, by the reduction that its output's label names, and their bytes;
// without places. Empty where nothing is summed.
std::vector<PartialPlan> partial_plans(const Plan& plan, OperatorId id);
// Whether partial results that meet there can be added up by the network (Reduction::kNetwork).
bool network_adds(const Hardware& hardware, const Store& store);

// Children of a share that one read brings, added up: those at one place in the memories of clusters at even distances.
struct PartialRead {
  std::vector<int> items;  // by cluster
  Owners clusters;         // from that of the first one on
};
// One for each child, but where the network adds.
std::vector<PartialRead> reads_of(const OperatorPlan& op, const ChipMap& map, const PartialPlan::Share& share);

// Whether those of one operator lie in DRAM where those of the one before lay.
inline bool partials_in_turn(const Plan& plan) { return plan.options.program_memory > 0; }

// What the part leaves for others of the bytes that it computes, about: a tile's shares differ by a row.
Bytes handed_on(const PartialPlan& partial);

// Number, from 0 on, of the cluster or of the region of DRAM that the label of the output gives to a part's partial
// result: the one that it names, else the nearest.
int memory_of_partial(const Plan& plan, OperatorId id, std::size_t item);

// Offsets in the addressed memories of the clusters, of which `used` is taken and then raised, for an operator's
// partial results; nothing when not all of them have room. Where the network adds, the first parts of a box in every
// cluster have one offset, so have the second ones and so on.
std::optional<std::vector<Address>> places_in_clusters(const Plan& plan, OperatorId id,
                                                       const std::vector<PartialPlan>& partials,
                                                       std::vector<Bytes>& used);

// By cluster: from 0 on, what partial results take of its addressed memory. They go first, tensors lie behind them.
std::vector<Bytes> partial_room(const Plan& plan);

}  // namespace tilewright
