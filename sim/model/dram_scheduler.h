// Which command comes next, and when: the choice a controller makes, as a pure function of its queues and timing.
//
// FR-FCFS with row hits protected, as Ramulator 2.1's "FRFCFS-RowHit": among the requests whose next command is legal,
// the oldest; a precharge waits while an older request of its bank hits the open row, and while the request that the
// row was opened for has not been served. Requests with an opened row come first, then refresh, then the queues.
#pragma once

#include "sim/model/dram_queue.h"
#include "sim/model/dram_timing_state.h"

namespace tilewright {

// What the scheduler's arithmetic holds: requests of one pseudo channel between two resets, and clocks of one rule.
inline constexpr std::int64_t kMostDramRequests = std::int64_t{1} << 36;
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

// `writes`: the queue that is being served. Columns are considered from `from_column` on, rows from `from_row` on.
DramCandidates find_candidates(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from_column,
                               Cycles from_row);

// PREA while a row is open, REF otherwise; kNeverCycle while an opened row is still to be used.
DramChoice refresh_choice(const DramQueue& queue, const DramTimingState& timing, Cycles from);

}  // namespace tilewright
