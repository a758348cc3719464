#include "sim/model/dram_controller.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.h"

namespace tilewright {

DramController::State::State(const DramSpec& spec)
    : queue(spec.bank_groups * spec.banks_per_group,
            spec.read_queue + spec.write_queue + spec.bank_groups * spec.banks_per_group) {
  if (spec.timing.REFI > 0) refresh_due = spec.timing.REFI;
}

DramController::DramController(const DramSpec& spec, EventMeter* meter)
    : spec_(spec),
      meter_(meter),
      drain_above_(static_cast<int>(std::floor(spec.write_high * spec.write_queue))),
      drain_below_(spec.write_low * spec.write_queue),
      timing_(spec),
      state_(spec) {
  for (const DramRule& rule : timing_rules(spec.timing))
    SIM_CHECK(rule.distance < kLongestDramRule, "{} of {} clocks", rule.name, rule.distance);
}

void DramController::reset() {
  timing_.reset();
  state_ = State(spec_);
}

void DramController::push(const DramTrain& train, Cycles now) {
  SIM_CHECK(state_.arrivals.empty() || state_.arrivals.back().clock <= now, "DRAM request pushed into the past");
  SIM_CHECK(train.bursts >= 1, "DRAM request of {} bursts", train.bursts);
  state_.arrivals.push_back({train, now});
  state_.writes_waiting += train.write;
}

void DramController::advance(Cycles now) {
  SIM_CHECK(now >= state_.advanced_to, "DRAM controller advanced backwards");
  state_.advanced_to = now;
  for (;;) {
    const Cycles from = std::min(state_.next_column, state_.next_row);
    const Cycles accept_at = accept_clock();
    if (accept_at < from) {
      if (accept_at > now) return;
      accept();
      continue;
    }
    if (from > now) return;
    if (idle()) return skip_idle(now);
    choose_direction();
    const DramChoice choice = choose();
    if (std::min(choice.clock, accept_at) > now) return;
    // A clock's commands are decided before its acceptance, so an accepted request waits one clock at least.
    if (choice.clock > accept_at) {
      accept();
    } else if (const Cycles limit = columns_limit(now); choice.clock < limit && is_column(choice.command)) {
      issue_columns(choice, limit);
    } else {
      issue(choice);
    }
  }
}

// Up to this clock there is nothing to do but column commands.
Cycles DramController::columns_limit(Cycles now) const {
  Cycles limit = std::min({now, state_.scheduler.row_clock() - 1, state_.refresh_due - 1});
  if (!state_.arrivals.empty() && has_room(state_.arrivals.front().train.write))
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

bool DramController::has_room(bool write) const {
  return state_.queue.size(write) < (write ? spec_.write_queue : spec_.read_queue);
}

Cycles DramController::accept_clock() const {
  if (state_.arrivals.empty() || !has_room(state_.arrivals.front().train.write)) return kNeverCycle;
  return std::max(state_.arrivals.front().clock, state_.next_accept);
}

void DramController::accept() {
  const Cycles clock = accept_clock();
  const Arrival arrival = state_.arrivals.front();
  const DramTrain& train = arrival.train;
  state_.arrivals.pop_front();
  state_.next_accept = clock + 1;
  state_.next_column = std::max(state_.next_column, clock + 1);
  state_.next_row = std::max(state_.next_row, clock + 1);
  DramEntry entry;
  SIM_CHECK(state_.accepted < kMostDramRequests, "more DRAM requests than can be put in order");
  entry.order = state_.accepted++;
  entry.arrival = arrival.clock;
  entry.row = train.row;
  entry.bursts = entry.bursts_left = train.bursts;
  entry.id = train.id;
  entry.op = train.op;
  entry.bank = static_cast<std::int16_t>(train.bank);
  entry.write = train.write;
  state_.queue.insert(entry);
  state_.scheduler.touch(entry.bank);
  (train.write ? state_.counters.writes : state_.counters.reads) += 1;
  if (!train.write) return;
  state_.writes_waiting -= 1;
  state_.completions.push_back({train.id, clock});
}

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

void DramController::issue(const DramChoice& choice) {
  note_clock(choice);
  if (choice.entry == kNoEntry) return issue_refresh_command(choice);
  DramEntry& entry = state_.queue.entry(choice.entry);
  const int bank = entry.bank;
  timing_.issue(choice.command, bank, choice.clock);
  state_.scheduler.touch(bank);
  if (trace_) trace_->push_back({choice.clock, choice.command, bank, entry.row});
  if (!entry.served) classify(entry);
  if (is_column(choice.command)) return issue_column(choice);
  if (choice.command == DramCommand::kPrecharge) {
    state_.counters.precharges += 1;
    return state_.queue.close(bank);
  }
  state_.counters.activates += 1;
  if (meter_) meter_->add(entry.op, Event::kDramActivate, 1);
  state_.queue.make_active(choice.entry);
  state_.queue.open(bank, entry.row);
}

Cycles DramController::drain() {
  while (!idle()) advance(state_.advanced_to + spec_.timing.RC);
  return state_.data_end;
}

void DramController::note_clock(const DramChoice& choice) {
  const bool column = is_column(choice.command);
  state_.next_column = std::max(state_.next_column, choice.clock + 1);
  // Room that this command makes is there from its clock on.
  state_.next_accept = std::max(state_.next_accept, choice.clock);
  // The row bus is decided after the column bus of the same clock.
  const Cycles row_free = spec_.dual_command_bus && column ? choice.clock : choice.clock + 1;
  state_.next_row = std::max(state_.next_row, row_free);
}

void DramController::issue_refresh_command(const DramChoice& choice) {
  timing_.issue(choice.command, 0, choice.clock);
  state_.scheduler.touch_all();
  if (trace_) trace_->push_back({choice.clock, choice.command, 0, 0});
  if (choice.command == DramCommand::kPrechargeAll) return state_.queue.close_all();
  refreshed(1);
}

void DramController::refreshed(std::int64_t count) {
  state_.refresh_due += count * spec_.timing.REFI;
  state_.counters.refreshes += count;
  if (meter_) meter_->add(0, Event::kDramRefresh, count);
}

void DramController::classify(DramEntry& entry) {
  entry.served = true;
  const Address open_row = state_.queue.bank(entry.bank).open_row;
  if (open_row == entry.row)
    state_.counters.row_hits += 1;
  else if (open_row == kNoRow)
    state_.counters.row_misses += 1;
  else
    state_.counters.row_conflicts += 1;
}

void DramController::issue_column(const DramChoice& choice) {
  const int latency = choice.command == DramCommand::kRead ? spec_.timing.CL : spec_.timing.CWL;
  state_.data_end = std::max(state_.data_end, choice.clock + latency + spec_.timing.burst);
  if (--state_.queue.entry(choice.entry).bursts_left == 0) finish(choice.entry, choice.clock);
}

void DramController::finish(int index, Cycles clock) {
  const DramEntry& entry = state_.queue.entry(index);
  const Cycles done = clock + spec_.timing.CL + spec_.timing.burst;
  if (entry.write) {
    state_.counters.write_bursts += entry.bursts;
  } else {
    state_.counters.read_bursts += entry.bursts;
    state_.counters.reads_done += 1;
    state_.counters.read_latency += done - entry.arrival;
    state_.completions.push_back({entry.id, done});
  }
  const Event event = entry.write ? Event::kDramWriteBytes : Event::kDramReadBytes;
  if (meter_) meter_->add(entry.op, event, entry.bursts * spec_.burst_bytes);
  state_.queue.remove(index);
}

// Without requests only refreshes happen. The first may have rows to close; then each falls due on its own grid, and
// any number of them is one step.
void DramController::skip_idle(Cycles now) {
  while (state_.refresh_due <= now) {
    const DramChoice next = refresh_choice(state_.queue, timing_, std::max(state_.refresh_due, state_.next_row));
    if (next.clock > now) return;
    issue(next);
    const bool on_grid = next.clock <= state_.refresh_due && spec_.timing.RFC <= spec_.timing.REFI && !trace_;
    const Cycles skipped = (now - state_.refresh_due) / spec_.timing.REFI;
    if (next.command != DramCommand::kRefresh || !on_grid || skipped <= 0) continue;
    refreshed(skipped);
  }
}

Cycles DramController::not_before(DramCommand command, int bank) const {
  return std::max(state_.advanced_to + 1, timing_.earliest(command, bank));
}

// First clock for anything but the active requests: while a refresh is due they wait for it.
Cycles DramController::queues_resume() const {
  const Cycles next = state_.advanced_to + 1;
  return state_.refresh_due <= next ? next + spec_.timing.RFC : next;
}

// A bound from below on the clock of the next last column command of a read of this bank: what its oldest hit needs
// when nothing competes, and no more than a row that is not open yet would need.
Cycles DramController::earliest_read(int index) const {
  const DramBank& bank = state_.queue.bank(index);
  const DramBankList& list = bank.lists[false];
  const Cycles column = not_before(DramCommand::kRead, index);
  Cycles bound = kNeverCycle;
  if (bank.active != kNoEntry && !state_.queue.entry(bank.active).write) bound = column + rest_of(bank.active);
  if (list.hit != kNoEntry) bound = std::min(bound, std::max(column, queues_resume()) + rest_of(list.hit));
  if (list.miss != kNoEntry) bound = std::min(bound, earliest_activate(index) + spec_.timing.RCDRD);
  return bound;
}

Cycles DramController::rest_of(int entry) const {
  const DramTiming& t = spec_.timing;
  return std::min<Cycles>((state_.queue.entry(entry).bursts_left - 1) * t.CCD_S, t.RP + t.RCDRD);
}

Cycles DramController::earliest_activate(int bank) const {
  const Cycles resume = queues_resume();
  if (state_.queue.bank(bank).open_row == kNoRow) return std::max(resume, not_before(DramCommand::kActivate, bank));
  return std::max(resume, not_before(DramCommand::kPrecharge, bank)) + spec_.timing.RP;
}

// A bound from below on the clock at which a request of this bank leaves its queue: by its last column command or by
// the activate that makes it an active one.
Cycles DramController::earliest_exit(int index, bool write) const {
  const DramBankList& list = state_.queue.bank(index).lists[write];
  Cycles bound = kNeverCycle;
  if (list.hit != kNoEntry)
    bound = std::max(queues_resume(), not_before(write ? DramCommand::kWrite : DramCommand::kRead, index));
  if (list.miss != kNoEntry) bound = std::min(bound, earliest_activate(index));
  return bound;
}

Cycles DramController::next_wakeup() const {
  const Cycles data = spec_.timing.CL + spec_.timing.burst;
  Cycles wakeup = kNeverCycle;
  const std::uint64_t open = state_.queue.hit_banks(false) | state_.queue.active_banks();
  const auto look_at = [&](std::uint64_t set) {
    for (; set != 0; set &= set - 1) {
      const Cycles column = earliest_read(std::countr_zero(set));
      if (column != kNeverCycle) wakeup = std::min(wakeup, column + data);
    }
  };
  look_at(open);
  // The others have to open a row first.
  if (wakeup > state_.advanced_to + 1 + spec_.timing.RCDRD + data) look_at(state_.queue.miss_banks(false) & ~open);
  if (state_.arrivals.empty()) return wakeup;
  Cycles enter = accept_clock();
  const bool write = state_.arrivals.front().train.write;
  if (enter == kNeverCycle)
    for (std::uint64_t set = state_.queue.waiting_banks(write); set != 0; set &= set - 1)
      enter = std::min(enter, earliest_exit(std::countr_zero(set), write));
  SIM_CHECK(enter != kNeverCycle, "a DRAM queue is full and nothing can leave it");
  return std::min(wakeup, state_.writes_waiting > 0 ? enter : enter + 1 + data);
}

std::string DramController::waiting_for() const {
  if (idle()) return "";
  return fmt::format("{} reads and {} writes queued, {} banks opening, {} requests in front of the queues",
                     state_.queue.size(false), state_.queue.size(true), std::popcount(state_.queue.active_banks()),
                     state_.arrivals.size());
}

}  // namespace tilewright
