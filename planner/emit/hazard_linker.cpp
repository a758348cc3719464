#include "planner/emit/hazard_linker.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

// What other cores hold is ordered by signals.
bool is_own(const Operand& operand) { return operand.owner == kOwnMemory; }

}  // namespace

Latest later_of(const Latest& a, const Latest& b) {
  Latest later{};
  for (int unit = 0; unit < kUnitCount; ++unit) later[unit] = std::max(a[unit], b[unit]);
  return later;
}

int HazardLinker::latest_conflict(const TouchList& list, const Footprint& footprint, bool write, int seen) const {
  for (auto touch = list.rbegin(); touch != list.rend() && touch->instruction > seen; ++touch) {
    if (!write && !touch->write) continue;
    if (touch->high <= footprint.low() || footprint.high() <= touch->low) continue;
    const Operands operands = operands_of(instructions_[touch->instruction]);
    if (touches(footprint_of(operands.begin()[touch->operand]), footprint)) return touch->instruction;
  }
  return seen;
}

void HazardLinker::forget_seen(Latest& after, int own) const {
  after[own] = -1;
  for (int unit = 0; unit < kUnitCount; ++unit)
    if (after[unit] <= seen_[own][unit]) after[unit] = -1;
}

void HazardLinker::raise(Latest& after, int own, const Operand& operand) const {
  if (!is_own(operand)) return;
  const Footprint footprint = footprint_of(operand);
  const auto& lists = touched_[static_cast<int>(operand.space)];
  for (int unit = 0; unit < kUnitCount; ++unit)
    if (unit != own) after[unit] = latest_conflict(lists[unit], footprint, operand.write, after[unit]);
}

int HazardLinker::latest_conflict(Unit unit, const Operand& operand) const {
  const int own = static_cast<int>(unit);
  Latest after = seen_[own];
  raise(after, own, operand);
  forget_seen(after, own);
  return *std::max_element(after.begin(), after.end());
}

Latest HazardLinker::hazards(const Instruction& instruction, const Latest& also) const {
  check_stop();
  const int own = static_cast<int>(instruction.unit);
  Latest after = later_of(seen_[own], also);
  for (const Operand& operand : operands_of(instruction)) raise(after, own, operand);
  forget_seen(after, own);
  return after;
}

// Whether another wait of `after` brings the one for `unit` with it.
bool HazardLinker::implied(int unit, const Latest& after) const {
  for (int other = 0; other < kUnitCount; ++other)
    if (other != unit && after[other] >= 0 && complete_[after[other]][unit] >= after[unit]) return true;
  return false;
}

void HazardLinker::wait_for(Instruction& instruction, const Latest& after) {
  const int own = static_cast<int>(instruction.unit);
  for (int unit = 0; unit < kUnitCount; ++unit) {
    if (after[unit] < 0 || implied(unit, after)) continue;
    instructions_[after[unit]].posts.add(token(unit, own));
    instruction.waits.add(token(unit, own));
    seen_[own] = later_of(seen_[own], complete_[after[unit]]);
  }
}

void HazardLinker::remember(const Instruction& instruction, int index) {
  std::int8_t number = 0;
  for (const Operand& operand : operands_of(instruction)) {
    const std::int8_t at = number++;
    if (!is_own(operand)) continue;
    const Footprint footprint = footprint_of(operand);
    touched_[static_cast<int>(operand.space)][static_cast<int>(instruction.unit)].push_back(
        {footprint.low(), footprint.high(), index, at, operand.write});
  }
}

int HazardLinker::append(Instruction instruction, const Latest& also) {
  SIM_CHECK(instruction.waits.count == 0 && instruction.posts.count == 0, "an instruction has tokens before linking");
  const int own = static_cast<int>(instruction.unit), index = size();
  wait_for(instruction, hazards(instruction, also));
  seen_[own][own] = last_[own] = index;
  complete_.push_back(seen_[own]);
  remember(instruction, index);
  instructions_.push_back(std::move(instruction));
  return index;
}

}  // namespace tilewright
