#include "sim/model/dram_column_run.h"

#include <bit>

namespace tilewright {

DramColumnRun::DramColumnRun(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from,
                             Cycles limit)
    : queue_(queue),
      timing_(timing),
      command_(writes ? DramCommand::kWrite : DramCommand::kRead),
      next_(std::max(from, timing.earliest_anywhere(command_))),
      limit_(limit) {
  for (std::uint64_t set = queue.active_banks(); set != 0; set &= set - 1) {
    const int bank = std::countr_zero(set), entry = queue.bank(bank).active;
    if (queue.entry(entry).write != writes) limit_ = -1;  // waits for other rules than the rest
    add(bank, entry, true, from);
  }
  for (std::uint64_t set = queue.hit_banks(writes); set != 0; set &= set - 1) {
    const int bank = std::countr_zero(set);
    add(bank, queue.bank(bank).lists[writes].hit, false, from);
  }
}

// A bank that is not ready yet ends the run before its clock.
void DramColumnRun::add(int bank, int entry_index, bool active, Cycles from) {
  const Cycles ready = timing_.earliest_in_bank(command_, bank);
  if (ready > from) {
    limit_ = std::min(limit_, ready - 1);
    return;
  }
  const DramEntry& entry = queue_.entry(entry_index);
  const int group = timing_.group_of(bank);
  int place = 0;
  while (place < count_ && heads_[place].group != group) ++place;
  if (place == kMostGroups) {
    limit_ = -1;
    return;
  }
  Head head{group, bank, entry_index, entry.bursts_left, active, entry.order, 0, -1};
  head.free = timing_.earliest_in_group(command_, bank);
  if (place == count_) {
    heads_[count_++] = head;
  } else if (before(head, 0, heads_[place], 0)) {
    heads_[place] = head;
  }
}

// Requests whose row was opened for them go first, then the older one.
bool DramColumnRun::before(const Head& a, Cycles clock_a, const Head& b, Cycles clock_b) {
  if (clock_a != clock_b) return clock_a < clock_b;
  return a.active != b.active ? a.active : a.order < b.order;
}

DramBurst DramColumnRun::next() {
  Head* best = nullptr;
  Cycles clock = kNeverCycle;
  for (int i = 0; i < count_; ++i) {
    const Cycles own = std::max(heads_[i].free, next_);
    if (best && !before(heads_[i], own, *best, clock)) continue;
    best = &heads_[i];
    clock = own;
  }
  if (!best || clock > limit_) return {};
  best->last = clock;
  best->free = clock + timing_.column_gap(command_ == DramCommand::kWrite);
  next_ = clock + timing_.rank_column_gap(command_ == DramCommand::kWrite);
  if (--best->bursts_left == 0) limit_ = -1;
  return {clock, best->entry};
}

}  // namespace tilewright
