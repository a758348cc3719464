// Which command a controller issues next; column commands in runs: while nothing else can happen, a row's bursts follow
// each other in one step.
#include "sim/base/error.h"
#include "sim/machine/dram/dram_controller.h"

namespace tilewright {

void DramController::choose_direction() {
  const int reads = state_.queue.size(false), writes = state_.queue.size(true);
  if (!state_.draining)
    state_.draining = writes > drain_above_ || reads == 0;
  else
    state_.draining = !(writes < drain_below_ && reads != 0);
}

DramChoice DramController::choose() {
  DramCandidates found =
      state_.scheduler.find(state_.queue, timing_, state_.draining, state_.next_column, state_.next_row);
  // From the clock it is due a refresh goes before the queues; only requests with an opened row go before it.
  if (found.column.clock >= state_.refresh_due) found.column = {};
  if (found.row.clock >= state_.refresh_due) found.row = {};
  DramChoice refresh;
  if (state_.refresh_due != kNeverCycle)
    refresh = refresh_choice(state_.queue, timing_, std::max(state_.refresh_due, state_.next_row));
  return spec_.dual_command_bus ? choose_dual(found, refresh) : choose_single(found, refresh);
}

DramChoice DramController::choose_single(const DramCandidates& found, const DramChoice& refresh) const {
  const DramChoice& queued = found.column.before(found.row) ? found.column : found.row;
  DramChoice best = found.active;
  if (refresh.clock < best.clock) best = refresh;
  if (queued.clock < best.clock) best = queued;
  return best;
}

// Each clock the column bus is served first, then the row bus.
DramChoice DramController::choose_dual(const DramCandidates& found, const DramChoice& refresh) const {
  const DramChoice& column = found.active.clock <= found.column.clock ? found.active : found.column;
  const DramChoice& row = refresh.clock <= found.row.clock ? refresh : found.row;
  return column.clock <= row.clock ? column : row;
}

// Up to this clock there is nothing to do but column commands.
Cycles DramController::columns_limit(Cycles now) const {
  Cycles limit = std::min({now, state_.scheduler.row_clock() - 1, state_.refresh_due - 1});
  if (!state_.arrivals.empty() && has_room(state_.arrivals.front().request.write))
    limit = std::min(limit, state_.arrivals.front().clock);
  return limit;
}

// The chosen command and those that follow it, in one step: runs, each up to the end of a request.
void DramController::issue_columns(const DramChoice& first, Cycles limit) {
  const bool direction = state_.draining;
  Cycles from = first.clock;
  int finished = kNoEntry;
  const auto next_run = [&] {
    DramColumnRun run(state_.queue, timing_, direction, from, limit);
    return issue_run(run, first.command, finished);
  };
  if (!next_run()) return issue(first);
  while (finished != kNoEntry) {
    choose_direction();
    if (state_.draining != direction) return;
    limit = std::min({limit, columns_limit(limit), earliest_precharge(finished) - 1});
    from = state_.next_column;
    if (!next_run()) return;
  }
}

// False when the run is empty. `finished` becomes the bank of the request that it ended with, kNoEntry without one.
bool DramController::issue_run(DramColumnRun& run, DramCommand command, int& finished) {
  finished = kNoEntry;
  DramChoice last;
  for (DramBurst burst = run.next(); burst.entry != kNoEntry; burst = run.next()) {
    DramEntry& entry = state_.queue.entry(burst.entry);
    last = {burst.clock, entry.order, command, burst.entry};
    if (entry.bursts_left == 1) {
      finished = entry.bank;
      break;
    }
    if (!entry.served) classify(entry);
    entry.bursts_left -= 1;
    if (trace_) trace_->push_back({burst.clock, command, entry.bank, entry.row});
  }
  if (last.entry == kNoEntry) return false;
  run.for_each_last([&](int bank, Cycles clock) {
    timing_.issue(command, bank, clock);
    state_.scheduler.touch(bank);
  });
  note_clock(last);
  if (finished != kNoEntry) issue(last);
  return true;
}

// First clock at which the open row of this bank may be closed for the queue being served.
Cycles DramController::earliest_precharge(int index) const {
  const DramBank& bank = state_.queue.bank(index);
  const DramBankList& list = bank.lists[state_.draining];
  const bool older_hit = list.hit != kNoEntry && list.miss != kNoEntry &&
                         state_.queue.entry(list.hit).order < state_.queue.entry(list.miss).order;
  if (list.miss == kNoEntry || bank.active != kNoEntry || older_hit) return kNeverCycle;
  return timing_.earliest(DramCommand::kPrecharge, index);
}

}  // namespace tilewright
