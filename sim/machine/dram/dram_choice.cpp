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
  const std::optional<DramColumnChoice> next = state_.run.choice(state_.queue);
  DramColumnChoice column = next ? *next : state_.scheduler.column(state_.queue, timing_, true);
  // From the clock it is due a refresh goes before the queues; only requests with an opened row go before it.
  if (column.choice.clock >= state_.refresh_due && !column.active)
    column = state_.scheduler.column(state_.queue, timing_, false);
  DramChoice row = state_.scheduler.row(state_.queue, timing_), refresh;
  if (row.clock >= state_.refresh_due) row = {};
  if (state_.refresh_due != kNeverCycle)
    refresh = refresh_choice(state_.queue, timing_, std::max(state_.refresh_due, state_.next_row));
  return spec_.dual_command_bus ? choose_dual(column.choice, row, refresh) : choose_single(column, row, refresh);
}

// Requests with an opened row first, then a refresh, then the older of the queue's.
DramChoice DramController::choose_single(const DramColumnChoice& column, const DramChoice& row,
                                         const DramChoice& refresh) {
  if (column.active) {
    const DramChoice& best = refresh.clock < column.choice.clock ? refresh : column.choice;
    return row.clock < best.clock ? row : best;
  }
  const DramChoice& queued = column.choice.before(row) ? column.choice : row;
  return queued.clock < refresh.clock ? queued : refresh;
}

// Each clock the column bus is served first, then the row bus.
DramChoice DramController::choose_dual(const DramChoice& column, const DramChoice& row, const DramChoice& refresh) {
  const DramChoice& best_row = refresh.clock <= row.clock ? refresh : row;
  return column.clock <= best_row.clock ? column : best_row;
}

// Up to this clock there is nothing to do but column commands.
Cycles DramController::columns_limit(Cycles now) {
  Cycles limit = std::min(now, state_.refresh_due - 1);
  if (!state_.arrivals.empty() && has_room(state_.arrivals.front().request.write))
    limit = std::min(limit, state_.arrivals.front().clock);
  if (state_.scheduler.row_bound() <= limit) state_.scheduler.row(state_.queue, timing_);
  return std::min(limit, state_.scheduler.row_bound() - 1);
}

// Column commands up to `now`, as long as there is nothing else to do: runs, each up to the end of a request. Returns a
// clock before which no command is legal.
Cycles DramController::issue_columns(Cycles now) {
  const Cycles first = update_run(state_.next_column);
  Cycles limit = columns_limit(now);
  if (first >= limit) return issue_one_column(first, now);
  if (first < state_.next_column) return first;  // there is no run
  if (first == state_.run.pending()) update_run(first);
  const bool direction = state_.draining;
  for (DramColumnRun& run = state_.run;;) {
    run.set_limit(limit);
    if (run.empty() || !issue_run(run)) break;
    // Inside a run before anything is accepted in the same clock; behind it what has been accepted counts.
    if (state_.next_column > limit) break;
    choose_direction();
    if (state_.draining != direction) break;
    update_run(state_.next_column);
    limit = std::min(limit, columns_limit(limit));
  }
  return std::min(state_.next_column, state_.next_row);
}

// What comes next is decided after it.
Cycles DramController::issue_one_column(Cycles clock, Cycles now) {
  // With two command buses the column of a clock goes first.
  const Cycles row = state_.scheduler.row_bound() - (spec_.dual_command_bus ? 0 : 1);
  state_.run.set_limit(clock);
  if (clock > std::min({now, accept_clock(), row, state_.refresh_due - 1}) || state_.run.empty())
    return std::min({clock, state_.scheduler.row_bound(), state_.refresh_due});
  issue_run(state_.run);
  return std::min(state_.next_column, state_.next_row);
}

// Brings the run up to date. Returns a clock before which no column command is legal.
Cycles DramController::update_run(Cycles from) {
  const bool direction = state_.draining;
  const std::uint64_t changed = state_.scheduler.update(state_.queue, timing_, direction, from, state_.next_row);
  if (changed != 0) state_.run.refresh(state_.scheduler, state_.queue, timing_, direction, changed);
  return state_.run.resume(from);
}

// Returns whether the run ended with a request that needs no more.
bool DramController::issue_run(DramColumnRun& run) {
  const DramCommand command = run.command();
  DramChoice last;
  bool finished = false;
  while (!run.empty()) {
    const DramBurst burst = run.next();
    DramEntry& entry = state_.queue.entry(burst.entry);
    last = {burst.clock, entry.order, command, burst.entry};
    finished = entry.bursts_left == 1;
    if (finished) break;
    if (!entry.served) classify(entry);
    entry.bursts_left -= 1;
    if (trace_) trace_->push_back({burst.clock, command, entry.bank, entry.row});
  }
  run.take_last([&](int bank, Cycles clock) {
    timing_.issue_in_group(command, bank, clock);
    state_.scheduler.delay(bank);
  });
  timing_.issue_in_rank(command, last.clock);
  note_clock(last);
  if (finished) carry_out(last);
  return finished;
}

}  // namespace tilewright
