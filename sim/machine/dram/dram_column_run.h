// Column commands that follow each other with nothing in between, decided together: inside one bank group the requests
// take the bus one after the other, so the next command is always that of the group which may go first, and only the
// request of each group that goes first has to be looked at. The commands and their clocks are those of choosing one by
// one.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "sim/machine/dram/dram_queue.h"
#include "sim/machine/dram/dram_scheduler.h"

namespace tilewright {

struct DramBurst {
  Cycles clock = kNeverCycle;
  int entry = kNoEntry;
};

class DramColumnRun {
 public:
  explicit DramColumnRun(int bank_groups) : heads_(bank_groups) {}

  // Takes over what the scheduler has found out of these bank groups. `writes`: the queue that is being served.
  void refresh(const DramScheduler& scheduler, const DramQueue& queue, const DramTimingState& timing, bool writes,
               std::uint64_t groups);
  // Goes on from clock `from`. Returns a clock before which no column command is legal.
  Cycles resume(Cycles from) {
    if (from > next_) {
      next_ = from;
      find_best();
    }
    return std::min(pending_, best_clock_);
  }
  // First clock of a bank that is not ready yet.
  Cycles pending() const { return pending_; }
  // Not past `limit`: until then nothing is accepted, no row command and no refresh is legal.
  void set_limit(Cycles limit) { limit_ = std::min(limit, pending_ - 1); }
  DramCommand command() const { return command_; }
  bool empty() const { return best_clock_ > limit_; }
  // The next command, of a run that is not empty. The run ends with the first request that needs no more.
  DramBurst next() {
    Head& head = heads_[best_];
    const Cycles clock = best_clock_;
    head.last = clock;
    issued_ |= std::uint64_t{1} << best_;
    head.free = clock + column_gap_;
    next_ = clock + rank_column_gap_;
    if (--head.bursts_left == 0) {
      limit_ = -1;
    } else {
      find_best();
    }
    return {clock, head.entry};
  }
  // The next command as a choice; nothing where a bank that is not ready yet could go before it.
  std::optional<DramColumnChoice> choice(const DramQueue& queue) const {
    if (pending_ <= best_clock_ || best_clock_ == kNeverCycle) return std::nullopt;
    const Head& head = heads_[best_];
    return DramColumnChoice{{best_clock_, queue.entry(head.entry).order, command_, head.entry}, head.priority < 0};
  }
  // Calls visit(bank, clock) with the last command of every bank since the last call.
  template <typename Visit>
  void take_last(Visit&& visit) {
    for (; issued_ != 0; issued_ &= issued_ - 1) {
      const Head& head = heads_[std::countr_zero(issued_)];
      visit(head.bank, head.last);
    }
  }

 private:
  struct Head {  // of one bank group: who goes first
    std::int64_t priority = 0;
    int entry = kNoEntry, bank = 0, bursts_left = 0;
    Cycles free = 0;  // first clock the group allows
    Cycles last = 0;
  };

  void find_best() {
    best_clock_ = kNeverCycle;
    for (std::uint64_t set = headed_; set != 0; set &= set - 1) {
      const int group = std::countr_zero(set);
      const Cycles clock = std::max(heads_[group].free, next_);
      if (clock > best_clock_ || (clock == best_clock_ && heads_[group].priority > heads_[best_].priority)) continue;
      best_ = group;
      best_clock_ = clock;
    }
  }

  DramCommand command_ = DramCommand::kRead;
  Cycles column_gap_ = 0, rank_column_gap_ = 0;
  Cycles next_ = 0;               // first clock that all banks together allow
  Cycles pending_ = kNeverCycle;  // first clock of a bank that is not ready yet
  Cycles limit_ = -1, best_clock_ = kNeverCycle;
  int best_ = 0;
  std::uint64_t headed_ = 0, issued_ = 0;  // groups
  std::vector<Head> heads_;
};

}  // namespace tilewright
