#include "planner/emit/pipeline.h"

#include <algorithm>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {

Slot Pipeline::add_slot() {
  last_use_.push_back(-1);
  return static_cast<Slot>(last_use_.size()) - 1;
}

int Pipeline::current_step() const {
  SIM_CHECK(!steps_.empty(), "an instruction before the first step");
  return static_cast<int>(steps_.size()) - 1;
}

void Pipeline::load(Payload payload, const std::vector<Slot>& targets) {
  const int step = current_step();
  int free_from = 0;
  for (const Slot target : targets) free_from = std::max(free_from, last_use_.at(target) + 1);
  SIM_CHECK(free_from <= step, "a slot is loaded again in the step that uses it");
  loads_.push_back({instruction(Unit::kLoad, std::move(payload)), step, free_from});
}

void Pipeline::load_in_step(Payload payload, Slot target) {
  load(std::move(payload), target);
  loads_.back().free_from = current_step();
}

void Pipeline::emit(Unit unit, Payload payload, const std::vector<Slot>& reads, const std::vector<Slot>& writes) {
  check_stop();
  const int step = current_step();
  for (const Slot slot : reads) last_use_.at(slot) = step;
  for (const Slot slot : writes) last_use_.at(slot) = step;
  steps_.back().push_back(instruction(unit, std::move(payload)));
}

std::vector<Instruction> Pipeline::finish() {
  std::vector<Instruction> instructions;
  std::size_t next = 0;
  std::vector<int> needed_by;  // of the loads appended so far, ascending
  for (int step = 0; step < static_cast<int>(steps_.size()); ++step) {
    check_stop();
    auto ahead = [&] { return needed_by.end() - std::upper_bound(needed_by.begin(), needed_by.end(), step); };
    while (next < loads_.size() && loads_[next].free_from <= step &&
           (loads_[next].needed_by <= step || ahead() < lookahead_)) {
      needed_by.push_back(loads_[next].needed_by);
      instructions.push_back(std::move(loads_[next++].instruction));
    }
    SIM_CHECK(next == loads_.size() || loads_[next].needed_by > step,
              "a load is held back past the step that needs it");
    std::move(steps_[step].begin(), steps_[step].end(), std::back_inserter(instructions));
  }
  SIM_CHECK(next == loads_.size(), "{} loads were never needed", loads_.size() - next);
  return instructions;
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
