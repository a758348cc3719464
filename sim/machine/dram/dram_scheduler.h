// Which command comes next, and when: the choice a controller makes, determined by its queues and timing.
//
// FR-FCFS with row hits protected, as Ramulator 2.1's "FRFCFS-RowHit": among the requests whose next command is legal,
// the oldest; a precharge waits while an older request of its bank hits the open row, and while the request that the
// row was opened for has not been served. Requests with an opened row come first, then refresh, then the queues.
#pragma once

#include "sim/machine/dram/dram_queue.h"
#include "sim/machine/dram/dram_timing_state.h"

namespace tilewright {

// What the scheduler's arithmetic holds: requests of one pseudo channel between two resets, and clocks of one rule.
inline constexpr std::int64_t kMaxDramRequests = std::int64_t{1} << 36;
inline constexpr int kLongestDramRule = 1 << 20;

struct DramChoice {
  Cycles clock = kNeverCycle;
  std::int64_t order = 0;
  DramCommand command = DramCommand::kRefresh;
  int entry = kNoEntry;  // none for PREA and REF

  bool before(const DramChoice& other) const {
    return clock != other.clock ? clock < other.clock : order < other.order;
  }
};

// Best candidates, each legal from `clock` on and not before the `from` they were asked for.
struct DramCandidates {
  DramChoice active, column, row;
};

// The best requests, remembered from command to command. Time moves on and timing only ever forbids more, so the best
// of before is still the best if its own clock has not moved and none of the banks that changed has a better one; else
// it is searched for again. The result is that of searching always.
class DramScheduler {
 public:
  // The bank's queue, open row or active request has changed.
  void touch(int bank) { touched_ |= std::uint64_t{1} << bank; }
  void touch_all() { touched_ = ~std::uint64_t{0}; }
  // `writes`: the queue that is being served. Columns are considered from `from_column` on, rows from `from_row` on;
  // neither ever goes back.
  DramCandidates find(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from_column,
                      Cycles from_row);
  // Of the best row command found last.
  Cycles row_clock() const { return row_.choice.clock; }

 private:
  struct Best {
    DramChoice choice;
    int bank = 0;  // of choice.entry, if there is one
  };

  Best column_, row_;
  std::uint64_t touched_ = 0;
  bool writes_ = false;
};

// PREA while a row is open, REF otherwise; kNeverCycle while an opened row is still to be used.
DramChoice refresh_choice(const DramQueue& queue, const DramTimingState& timing, Cycles from);

}  // namespace tilewright
