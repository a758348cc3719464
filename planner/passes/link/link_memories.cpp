#include "planner/passes/link/link_memories.h"

#include "sim/isa/chip_map.h"

namespace tilewright {
namespace {

// Whether it lies outside DRAM.
bool name_memory(Box& box, const ChipMap& map, int cluster) {
  if (box.space != Space::kDram || map.is_dram(box.address)) return false;
  const ChipMap::Place place = map.place_of(box.address);
  box.space = place.space;
  box.address = place.offset;
  box.owner = place.owner == cluster ? kOwnMemory : place.owner;
  return true;
}

}  // namespace

void name_memories(Program& program, const Hardware& hardware) {
  const ChipMap map(hardware);
  for (std::size_t core = 0; core < program.cores.size(); ++core)
    for (Instruction& instruction : program.cores[core].instructions) {
      auto* transfer = std::get_if<Transfer>(&instruction.payload);
      if (!transfer) continue;
      const int cluster = hardware.cluster_of(static_cast<int>(core));
      if (name_memory(transfer->source, map, cluster)) transfer->cached = false;
      name_memory(transfer->target, map, cluster);
    }
}

}  // namespace tilewright
