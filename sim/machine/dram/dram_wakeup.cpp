// When a controller has to be looked at again: bounds from below, so that no completion is told late.
#include <bit>

#include "sim/base/error.h"
#include "sim/machine/dram/dram_controller.h"

namespace tilewright {

Cycles DramController::not_before(DramCommand command, int bank) const {
  return std::max(state_.advanced_to + 1, timing_.earliest(command, bank));
}

// First clock for anything but the active requests: while a refresh is due they wait for it.
Cycles DramController::queues_resume() const {
  const Cycles next = state_.advanced_to + 1;
  return state_.refresh_due <= next ? next + spec_.timing.RFC : next;
}

// A bound from below on the clock of the next last column command of a read of this bank: what its oldest hit needs
// when nothing competes, and no more than a row that is not open yet would need.
Cycles DramController::earliest_read(int index, Cycles resume) const {
  const DramBank& bank = state_.queue.bank(index);
  const DramBankList& list = bank.lists[false];
  const Cycles column = not_before(DramCommand::kRead, index);
  Cycles bound = kNeverCycle;
  if (bank.active != kNoEntry && !state_.queue.entry(bank.active).write) bound = column + rest_of(bank.active);
  if (list.hit != kNoEntry) bound = std::min(bound, std::max(column, resume) + rest_of(list.hit));
  // To close a row first takes longer than most hits.
  if (list.miss == kNoEntry || (list.hit != kNoEntry && bound <= resume + spec_.timing.RP + spec_.timing.RCDRD))
    return bound;
  return std::min(bound, earliest_activate(index, resume) + spec_.timing.RCDRD);
}

Cycles DramController::rest_of(int entry) const {
  const DramTiming& t = spec_.timing;
  return std::min<Cycles>((state_.queue.entry(entry).bursts_left - 1) * t.CCD_S, t.RP + t.RCDRD);
}

Cycles DramController::earliest_activate(int bank, Cycles resume) const {
  if (state_.queue.bank(bank).open_row == kNoRow) return std::max(resume, not_before(DramCommand::kActivate, bank));
  return std::max(resume, not_before(DramCommand::kPrecharge, bank)) + spec_.timing.RP;
}

// A bound from below on the clock at which a request of this bank leaves its queue: by its last column command or by
// the activate that makes it an active one.
Cycles DramController::earliest_exit(int index, bool write) const {
  const DramBankList& list = state_.queue.bank(index).lists[write];
  const Cycles resume = queues_resume();
  Cycles bound = kNeverCycle;
  if (list.hit != kNoEntry)
    bound = std::max(resume, not_before(write ? DramCommand::kWrite : DramCommand::kRead, index));
  if (list.miss != kNoEntry) bound = std::min(bound, earliest_activate(index, resume));
  return bound;
}

Cycles DramController::next_wakeup() const {
  const Cycles data = spec_.timing.CL + spec_.timing.burst, resume = queues_resume();
  Cycles wakeup = kNeverCycle;
  const std::uint64_t open = state_.queue.hit_banks(false) | state_.queue.active_banks();
  const auto look_at = [&](std::uint64_t set) {
    for (; set != 0; set &= set - 1) {
      const Cycles column = earliest_read(std::countr_zero(set), resume);
      if (column != kNeverCycle) wakeup = std::min(wakeup, column + data);
    }
  };
  look_at(open);
  // The others have to open a row first.
  if (wakeup > state_.advanced_to + 1 + spec_.timing.RCDRD + data) look_at(state_.queue.miss_banks(false) & ~open);
  if (state_.arrivals.empty()) return wakeup;
  Cycles enter = accept_clock();
  const bool write = state_.arrivals.front().request.write;
  if (enter == kNeverCycle)
    for (std::uint64_t set = state_.queue.waiting_banks(write); set != 0; set &= set - 1)
      enter = std::min(enter, earliest_exit(std::countr_zero(set), write));
  SIM_CHECK(enter != kNeverCycle, "a DRAM queue is full and nothing can leave it");
  return std::min(wakeup, state_.writes_waiting > 0 ? enter : enter + 1 + data);
}

}  // namespace tilewright
