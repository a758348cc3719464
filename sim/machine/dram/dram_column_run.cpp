#include "sim/machine/dram/dram_column_run.h"

namespace tilewright {

void DramColumnRun::refresh(const DramScheduler& scheduler, const DramQueue& queue, const DramTimingState& timing,
                            bool writes, std::uint64_t groups) {
  command_ = writes ? DramCommand::kWrite : DramCommand::kRead;
  column_gap_ = timing.column_gap(writes);
  rank_column_gap_ = timing.rank_column_gap(writes);
  next_ = timing.earliest_anywhere(command_);
  headed_ = scheduler.headed_groups();
  for (std::uint64_t set = groups & headed_; set != 0; set &= set - 1) {
    const DramCandidate& candidate = scheduler.head(std::countr_zero(set));
    heads_[std::countr_zero(set)] = {candidate.priority,
                                     candidate.entry,
                                     candidate.bank,
                                     queue.entry(candidate.entry).bursts_left,
                                     timing.earliest_in_group(command_, candidate.bank),
                                     0};
  }
  // A bank that is not ready yet ends the run before its clock.
  pending_ = kNeverCycle;
  for (std::uint64_t set = scheduler.pending_banks(); set != 0; set &= set - 1)
    pending_ = std::min(pending_, timing.earliest_in_bank(command_, std::countr_zero(set)));
  // Active requests of the other direction wait for other rules than the rest: no run.
  if (scheduler.other_banks() != 0) pending_ = 0;
  find_best();
}

}  // namespace tilewright
