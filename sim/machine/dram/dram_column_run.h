// Column commands that follow each other with nothing in between, decided together: inside one bank group the requests
// take the bus one after the other, so the next command is always that of the group which may go first, and only the
// oldest request of each group has to be looked at. The commands and their clocks are those of choosing one by one.
#pragma once

#include <array>

#include "sim/machine/dram/dram_queue.h"
#include "sim/machine/dram/dram_scheduler.h"

namespace tilewright {

struct DramBurst {
  Cycles clock = kNeverCycle;
  int entry = kNoEntry;
};

class DramColumnRun {
 public:
  static constexpr int kMaxGroups = 16;

  // From clock `from` on, and not past `limit`: until then nothing is accepted, no row command and no refresh is legal.
  // `writes`: the queue that is being served. Both references outlive this.
  DramColumnRun(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from, Cycles limit);

  // The next command; without an entry when the run is over. The run ends with the first request that needs no more.
  DramBurst next();
  // Calls visit(bank, clock) with the last command of every bank.
  template <typename Visit>
  void for_each_last(Visit&& visit) const {
    for (int i = 0; i < count_; ++i)
      if (heads_[i].last >= 0) visit(heads_[i].bank, heads_[i].last);
  }

 private:
  struct Head {  // of one bank group: who goes first. Without initial values: a run uses few of them
    int group, bank, entry, bursts_left;
    bool active;
    std::int64_t order;
    Cycles free;  // first clock the group allows
    Cycles last;  // -1: none
  };

  void add(int bank, int entry, bool active, Cycles from);
  static bool goes_before(bool active, std::int64_t order, const Head& other);

  const DramQueue& queue_;
  const DramTimingState& timing_;
  const DramCommand command_;
  Cycles next_, limit_;
  std::array<Head, kMaxGroups> heads_;
  int count_ = 0;
};

}  // namespace tilewright
