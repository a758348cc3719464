#include "planner/passes/link/link_core.h"

#include <algorithm>

namespace tilewright {
namespace {

constexpr int kLoad = static_cast<int>(Unit::kLoad), kStore = static_cast<int>(Unit::kStore);

// Whether a load brings something that the instruction reads.
bool feeds(const Instruction& load, const Instruction& reader) {
  const Operands loaded = operands_of(load);
  for (const Operand& operand : operands_of(reader))
    for (const Operand& target : loaded)
      if (target.write && target.space == operand.space && touches(footprint_of(target), footprint_of(operand)))
        return true;
  return false;
}

}  // namespace

void CoreLinker::barrier(int participants, const std::vector<AddressRange>& released) {
  Instruction barrier{.unit = Unit::kStore};
  barrier.payload = Barrier{static_cast<int>(barriers_.size()), participants};
  Latest behind = overlap_ ? kNoneYet : linker_.last();
  for (const AddressRange& range : released) {
    const Operand overwrite{.write = true, .address = range.begin, .element = range.end - range.begin};
    behind[kLoad] = std::max(behind[kLoad], linker_.latest_conflict(Unit::kStore, overwrite));
  }
  barriers_.push_back(linker_.append(barrier, behind));
}

Latest CoreLinker::behind_barriers(const Instruction& instruction, const std::vector<RemoteRange>& remote) const {
  Latest after = kNoneYet;
  const auto* transfer = std::get_if<Transfer>(&instruction.payload);
  if (!transfer || transfer->source.space != Space::kDram) return after;
  const Address address = transfer->source.address;
  for (const RemoteRange& range : remote)
    if (range.begin <= address && address < range.end)
      after[kStore] = std::max(after[kStore], barriers_.at(range.barrier));
  return after;
}

// Loads run in order, so one that waits for other cores or for a store holds up those behind it. Of what the first step
// needs, it comes last; but nothing for later steps comes before it.
void CoreLinker::ready_loads_first(std::vector<Instruction>& instructions,
                                   const std::vector<RemoteRange>& remote) const {
  const auto step = std::find_if(instructions.begin(), instructions.end(),
                                 [](const Instruction& instruction) { return instruction.unit != Unit::kLoad; });
  if (step == instructions.end()) return;
  const auto later =
      std::stable_partition(instructions.begin(), step, [&](const Instruction& load) { return feeds(load, *step); });
  std::stable_partition(instructions.begin(), later, [&](const Instruction& load) {
    return linker_.hazards(load, behind_barriers(load, remote))[kStore] < 0;
  });
}

void CoreLinker::append(std::vector<Instruction> instructions, const std::vector<RemoteRange>& remote) {
  if (overlap_) {
    const AreaMoves moves = areas_.choose(instructions, linker_);
    for (Instruction& instruction : instructions) move_in_buffers(instruction, moves);
    ready_loads_first(instructions, remote);
  }
  const Latest before = overlap_ ? kNoneYet : linker_.last();
  for (Instruction& instruction : instructions) {
    const Latest behind = behind_barriers(instruction, remote);
    linker_.append(std::move(instruction), later_of(before, behind));
  }
}

}  // namespace tilewright
