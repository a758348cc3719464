#include "planner/passes/pipeline.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {

Slot Pipeline::add_slot() {
  slots_.push_back({});
  return static_cast<Slot>(slots_.size()) - 1;
}

int Pipeline::current_step() const {
  SIM_CHECK(!steps_.empty(), "an instruction before the first step");
  return static_cast<int>(steps_.size()) - 1;
}

void Pipeline::load(const Transfer& transfer, Slot target) {
  const int step = current_step();
  const int free_from = slots_.at(target).last_step + 1;
  SIM_CHECK(free_from <= step, "a slot is loaded again in the step that uses it");
  loads_.push_back({{Unit::kLoad, transfer, {}, {target}}, step, free_from});
}

void Pipeline::emit(Unit unit, Payload payload, std::vector<Slot> reads, std::vector<Slot> writes) {
  const int step = current_step();
  for (const Slot slot : reads) slots_.at(slot).last_step = step;
  for (const Slot slot : writes) slots_.at(slot).last_step = step;
  steps_.back().push_back({unit, std::move(payload), std::move(reads), std::move(writes)});
}

void Pipeline::order(int earlier, Unit from, Instruction& later, Unit to) {
  if (earlier < 0 || from == to) return;
  int& waited = waited_[static_cast<int>(from)][static_cast<int>(to)];
  if (earlier < waited) return;
  waited = earlier + 1;
  instructions_[earlier].posts.add(pair_token(from, to));
  later.waits.add(pair_token(from, to));
}

void Pipeline::append(const Entry& entry) {
  const int index = static_cast<int>(instructions_.size());
  Instruction instruction{entry.unit, op_, {}, {}, entry.payload};
  std::array<int, kUnitCount> after{-1, -1, -1, -1};  // latest instruction of each stream to wait for
  auto wait_for = [&](int earlier, int unit) { after[unit] = std::max(after[unit], earlier); };
  for (const Slot slot : entry.reads) wait_for(slots_[slot].writer, static_cast<int>(slots_[slot].writer_unit));
  for (const Slot slot : entry.writes) {
    wait_for(slots_[slot].writer, static_cast<int>(slots_[slot].writer_unit));
    for (int unit = 0; unit < kUnitCount; ++unit) wait_for(slots_[slot].readers[unit], unit);
  }
  for (int unit = 0; unit < kUnitCount; ++unit) order(after[unit], static_cast<Unit>(unit), instruction, entry.unit);
  for (const Slot slot : entry.reads) slots_[slot].readers[static_cast<int>(entry.unit)] = index;
  for (const Slot slot : entry.writes) {
    slots_[slot].writer = index;
    slots_[slot].writer_unit = entry.unit;
    slots_[slot].readers.fill(-1);
  }
  instructions_.push_back(std::move(instruction));
}

std::vector<Instruction> Pipeline::finish() {
  std::size_t next = 0;
  std::vector<int> needed_by;  // of the loads appended so far, ascending
  for (int step = 0; step < static_cast<int>(steps_.size()); ++step) {
    auto ahead = [&] { return needed_by.end() - std::upper_bound(needed_by.begin(), needed_by.end(), step); };
    while (next < loads_.size() && loads_[next].free_from <= step &&
           (loads_[next].needed_by <= step || ahead() < lookahead_)) {
      needed_by.push_back(loads_[next].needed_by);
      append(loads_[next++].entry);
    }
    SIM_CHECK(next == loads_.size() || loads_[next].needed_by > step,
              "a load is held back past the step that needs it");
    for (const Entry& entry : steps_[step]) append(entry);
  }
  SIM_CHECK(next == loads_.size(), "{} loads were never needed", loads_.size() - next);
  return std::move(instructions_);
}

SlotRing::SlotRing(Pipeline& pipeline, Address base, Bytes each, int count) {
  for (int i = 0; i < count; ++i) places_.push_back({pipeline.add_slot(), base + i * each});
}

SlotRing::Place SlotRing::next() {
  const Place place = places_[next_];
  next_ = (next_ + 1) % places_.size();
  return place;
}

}  // namespace tilewright
