// Which command comes next, and when: the choice a controller makes, determined by its queues and timing.
//
// FR-FCFS with row hits protected, as Ramulator 2.1's "FRFCFS-RowHit": among the requests whose next command is legal,
// the oldest; a precharge waits while an older request of its bank hits the open row, and while the request that the
// row was opened for has not been served. Requests with an opened row come first, then refresh, then the queues.
#pragma once

#include <array>

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

// A request whose row is open.
struct DramCandidate {
  // Less goes first: one whose row was opened for it, then the older one.
  std::int64_t priority = 0;
  int entry = kNoEntry;
  int bank = 0;
};

struct DramColumnChoice {
  DramChoice choice;
  bool active = false;
};

// What has been found out about the queues is kept from command to command, bank by bank and bank group by bank group,
// and found out again only for banks that changed. The choices are those of searching always.
class DramScheduler {
 public:
  DramScheduler(int bank_groups, int banks_per_group);

  // The bank's queue, open row or active request has changed.
  void touch(int bank) { touched_ |= std::uint64_t{1} << bank; }
  // A column command went to this bank and changed none of that.
  void delay(int bank) { delayed_ |= std::uint64_t{1} << bank; }
  void touch_all() { touched_ = ~std::uint64_t{0}; }
  // Before all that follows. `writes`: the queue that is being served. No column command is issued before
  // `from_column`, no row command before `from_row`. Returns the bank groups whose columns may have changed.
  std::uint64_t update(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from_column,
                       Cycles from_row);

  // The best column command: of the requests whose row was opened for them, and of the queue's when that is wanted.
  DramColumnChoice column(const DramQueue& queue, const DramTimingState& timing, bool of_queue) const;
  // The best row command. Looks at all banks, once after every update.
  const DramChoice& row(const DramQueue& queue, const DramTimingState& timing);
  // No row command is legal before this clock.
  Cycles row_bound() const { return row_bound_; }

  // For column commands in runs. Of each bank group in the set the candidate that goes first; banks with a candidate
  // that they do not allow yet; banks whose active request waits for the other direction.
  std::uint64_t headed_groups() const { return headed_; }
  const DramCandidate& head(int group) const { return heads_[group]; }
  std::uint64_t pending_banks() const { return pending_; }
  std::uint64_t other_banks() const { return other_; }

 private:
  // Of the request of a bank that needs another row.
  struct Row {
    Cycles ready = 0;  // the bank allows its command
    std::int64_t order = 0;
  };

  int group_of(int bank) const { return group_of_[bank]; }
  void look_at_row(const DramQueue& queue, const DramTimingState& timing, int bank);
  void look_at_group(const DramQueue& queue, const DramTimingState& timing, int group);
  void add(const DramTimingState& timing, int group, const DramCandidate& candidate);
  static DramCandidate candidate(const DramQueue& queue, int bank, int entry);
  DramChoice find_row(const DramQueue& queue, const DramTimingState& timing) const;
  DramCandidate first_of(const DramQueue& queue, int bank) const;

  std::uint64_t all_banks_, group_mask_;  // the latter: banks of group 0
  int banks_per_group_;
  std::array<std::uint8_t, kMostBanks> group_of_{};

  std::uint64_t touched_, delayed_ = 0;
  bool writes_ = false;
  Cycles from_column_ = 0, from_row_ = 0;
  std::array<DramCandidate, kMostBanks> heads_;  // by bank group
  std::uint64_t headed_ = 0, pending_ = 0, other_ = 0;
  std::array<Row, kMostBanks> rows_;         // by bank
  std::uint64_t opening_ = 0, closing_ = 0;  // banks whose row command would be an activate, a precharge
  Cycles row_bound_ = kNeverCycle;
  DramChoice row_;          // the best one,
  bool row_found_ = false;  // if it has been looked for
};

// PREA while a row is open, REF otherwise; kNeverCycle while an opened row is still to be used.
DramChoice refresh_choice(const DramQueue& queue, const DramTimingState& timing, Cycles from);

}  // namespace tilewright
