#include "sim/machine/dram/dram_column_run.h"

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
  if (place == kMaxGroups) {
    limit_ = -1;
    return;
  }
  if (place < count_ && !goes_before(active, entry.order, heads_[place])) return;
  count_ = std::max(count_, place + 1);
  heads_[place] = {
      group, bank, entry_index, entry.bursts_left, active, entry.order, timing_.earliest_in_group(command_, bank), -1};
}

// Requests whose row was opened for them go first, then the older one.
bool DramColumnRun::goes_before(bool active, std::int64_t order, const Head& other) {
  return active != other.active ? active : order < other.order;
}

DramBurst DramColumnRun::next() {
  Head* best = nullptr;
  Cycles clock = kNeverCycle;
  for (int i = 0; i < count_; ++i) {
    const Cycles own = std::max(heads_[i].free, next_);
    if (own > clock || (own == clock && !goes_before(heads_[i].active, heads_[i].order, *best))) continue;
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
