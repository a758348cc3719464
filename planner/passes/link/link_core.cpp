#include "planner/passes/link/link_core.h"

#include <algorithm>

#include "planner/ir/hand_on.h"

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

using Iterator = std::vector<Instruction>::iterator;

// The product that `step` on the vector unit prepares an operand for; `end`: none.
Iterator product_behind(Iterator step, Iterator end) {
  const auto* vector = std::get_if<Vector>(&step->payload);
  if (vector == nullptr || vector->target.space == Space::kAccumulator) return end;
  const auto behind = std::find_if(step, end, [](const Instruction& instruction) {
    return instruction.unit != Unit::kVector && instruction.unit != Unit::kLoad;
  });
  return behind != end && behind->unit == Unit::kMatmul ? behind : end;
}

// Whether something other than a load writes into an operand's buffer.
bool fills_operand(const Instruction& instruction) {
  if (instruction.unit == Unit::kLoad) return false;
  for (const Operand& operand : operands_of(instruction))
    if (operand.write && (operand.space == Space::kBufferA || operand.space == Space::kBufferB)) return true;
  return false;
}

}  // namespace

CoreProgram CoreLinker::take() {
  if (options_.early_loads == 0) return {linker_.take(), 0};
  linker_ = {};
  taken_ = kNoneYet;
  barriers_.clear();
  for (PlainInstruction& plain : with_early_loads(std::move(plain_), options_.early_loads, core_.dma.request_bytes)) {
    if (std::holds_alternative<Barrier>(plain.instruction.payload))
      meet(plain.barrier);
    else
      place(std::move(plain.instruction), plain.barrier);
  }
  return {linker_.take(), 0};
}

void CoreLinker::barrier(int participants, const std::vector<AddressRange>& released) {
  meetings_.push_back({participants, released});
  const int number = static_cast<int>(barriers_.size());
  meet(number);
  if (options_.early_loads > 0) plain_.push_back({{.unit = Unit::kStore, .payload = Barrier{}}, turn_, number});
}

void CoreLinker::meet(int number) {
  const Meeting& meeting = meetings_[static_cast<std::size_t>(number)];
  Instruction barrier{.unit = Unit::kStore};
  barrier.payload = Barrier{number, meeting.participants};
  Latest behind = options_.overlap ? kNoneYet : linker_.last();
  for (const AddressRange& range : meeting.released) {
    const Operand overwrite{.write = true, .address = range.begin, .element = range.end - range.begin};
    behind[kLoad] = std::max(behind[kLoad], linker_.latest_conflict(Unit::kStore, overwrite));
  }
  barriers_.push_back(linker_.append(barrier, behind));
}

void CoreLinker::place(Instruction instruction, int behind) {
  Latest before = options_.overlap ? kNoneYet : linker_.last();
  if (taken_ != kNoneYet && fills_operand(instruction)) before = later_of(before, taken_);
  const bool taken = waits_until_taken(instruction);
  const int number = linker_.append(std::move(instruction), later_of(before, behind_barrier(behind)));
  if (taken) taken_[kLoad] = number;
}

int CoreLinker::barrier_of(const Instruction& instruction, const std::vector<RemoteRange>& remote) {
  const auto* transfer = std::get_if<Transfer>(&instruction.payload);
  int barrier = -1;
  if (!transfer || transfer->source.space != Space::kDram) return barrier;
  const Address address = transfer->source.address;
  for (const RemoteRange& range : remote)
    if (range.begin <= address && address < range.end) barrier = std::max(barrier, range.barrier);
  return barrier;
}

Latest CoreLinker::behind_barrier(int number) const {
  Latest after = kNoneYet;
  if (number >= 0) after[kStore] = barriers_.at(static_cast<std::size_t>(number));
  return after;
}

// Loads run in order, so one that waits for other cores or for a store holds up those behind it. Of what the first step
// needs, it comes last; but nothing for later steps comes before it.
void CoreLinker::ready_loads_first(std::vector<Instruction>& instructions,
                                   const std::vector<RemoteRange>& remote) const {
  const auto step = std::find_if(instructions.begin(), instructions.end(),
                                 [](const Instruction& instruction) { return instruction.unit != Unit::kLoad; });
  if (step == instructions.end()) return;
  const auto ready = [&](const Instruction& load) {
    return linker_.hazards(load, behind_barrier(barrier_of(load, remote)))[kStore] < 0;
  };
  auto later =
      std::stable_partition(instructions.begin(), step, [&](const Instruction& load) { return feeds(load, *step); });
  const auto product = product_behind(step, instructions.end());
  if (product != instructions.end() && !std::all_of(instructions.begin(), later, ready))
    later = std::stable_partition(later, step, [&](const Instruction& load) { return feeds(load, *product); });
  std::stable_partition(instructions.begin(), later, ready);
}

AreaMoves CoreLinker::place_in_buffers(std::vector<Instruction>& instructions, const std::optional<AreaMoves>& given) {
  if (given) areas_.take(*given, instructions);
  const AreaMoves moves = given ? *given : areas_.choose(instructions, linker_);
  for (Instruction& instruction : instructions) move_in_buffers(instruction, moves);
  return moves;
}

AreaMoves CoreLinker::append(std::vector<Instruction> instructions, const std::vector<RemoteRange>& remote,
                             const std::optional<AreaMoves>& given) {
  AreaMoves moves{};
  if (options_.overlap) {
    moves = place_in_buffers(instructions, given);
    ready_loads_first(instructions, remote);
  }
  for (Instruction& instruction : instructions) {
    const int behind = barrier_of(instruction, remote);
    if (options_.early_loads > 0) plain_.push_back({instruction, turn_, behind});
    place(std::move(instruction), behind);
  }
  ++turn_;
  return moves;
}

}  // namespace tilewright
