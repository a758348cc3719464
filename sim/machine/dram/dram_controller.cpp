#include "sim/machine/dram/dram_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"

namespace tilewright {

DramController::State::State(const DramSpec& spec)
    : queue(spec.bank_groups * spec.banks_per_group,
            spec.read_queue + spec.write_queue + spec.bank_groups * spec.banks_per_group),
      scheduler(spec.bank_groups, spec.banks_per_group),
      run(spec.bank_groups) {
  if (spec.timing.REFI > 0) refresh_due = spec.timing.REFI;
}

DramController::DramController(const DramSpec& spec, EventMeter* meter)
    : spec_(spec),
      meter_(meter),
      drain_above_(static_cast<int>(std::floor(spec.write_high * spec.write_queue))),
      drain_below_(spec.drain_below()),
      timing_(spec),
      state_(spec) {
  for (const DramRule& rule : timing_rules(spec.timing))
    SIM_CHECK(rule.distance < kLongestDramRule, "{} of {} clocks", rule.name, rule.distance);
}

void DramController::reset() {
  timing_.reset();
  state_ = State(spec_);
}

void DramController::push(const DramRequest& request, Cycles now) {
  SIM_CHECK(state_.arrivals.empty() || state_.arrivals.back().clock <= now, "DRAM request pushed into the past");
  SIM_CHECK(request.bursts >= 1, "DRAM request of {} bursts", request.bursts);
  state_.arrivals.push_back({request, now, bursts_done()});
  state_.writes_waiting += request.write;
  state_.next_action = std::min(state_.next_action, accept_clock());
}

void DramController::advance(Cycles now) {
  SIM_CHECK(now >= state_.advanced_to, "DRAM controller advanced backwards");
  state_.advanced_to = now;
  for (;;) {
    const Cycles from = std::min(state_.next_column, state_.next_row);
    const Cycles accept_at = accept_clock();
    if (accept_at < from) {
      if (accept_at > now) return act_next(accept_at);
      accept();
      continue;
    }
    if (from > now) return act_next(from);
    if (idle()) return skip_idle(now);
    choose_direction();
    const Cycles column_before = state_.next_column, bound = issue_columns(now);
    if (state_.next_column != column_before) continue;
    const DramChoice choice = bound > std::min(now, accept_at) ? DramChoice{.clock = bound} : choose();
    if (std::min(choice.clock, accept_at) > now) return act_next(std::min(choice.clock, accept_at));
    // A clock's commands are decided before its acceptance, so an accepted request waits one clock at least.
    if (choice.clock > accept_at) {
      accept();
    } else {
      issue(choice);
    }
  }
}

bool DramController::has_room(bool write) const {
  return state_.queue.size(write) < (write ? spec_.write_queue : spec_.read_queue);
}

Cycles DramController::accept_clock() const {
  if (state_.arrivals.empty() || !has_room(state_.arrivals.front().request.write)) return kNeverCycle;
  return std::max(state_.arrivals.front().clock, state_.next_accept);
}

void DramController::accept() {
  const Cycles clock = accept_clock();
  const Arrival arrival = state_.arrivals.front();
  const DramRequest& request = arrival.request;
  state_.arrivals.pop_front();
  state_.next_accept = clock + 1;
  state_.next_column = std::max(state_.next_column, clock + 1);
  state_.next_row = std::max(state_.next_row, clock + 1);
  DramEntry entry;
  SIM_CHECK(state_.accepted < kMaxDramRequests, "more DRAM requests than can be put in order");
  entry.order = state_.accepted++;
  entry.arrival = arrival.clock;
  entry.accepted = clock;
  entry.bursts_before = bursts_done();
  entry.row = request.row;
  entry.bursts = entry.bursts_left = request.bursts;
  entry.id = request.id;
  entry.op = request.op;
  entry.bank = static_cast<std::int16_t>(request.bank);
  entry.write = request.write;
  if (state_.queue.insert(entry)) state_.scheduler.touch(entry.bank);
  (request.write ? state_.counters.writes : state_.counters.reads) += 1;
  if (!request.write) return;
  state_.writes_waiting -= 1;
  state_.completions.push_back(write_completion(arrival, clock));
}

void DramController::issue(const DramChoice& choice) {
  note_clock(choice);
  if (choice.entry == kNoEntry) return issue_refresh_command(choice);
  timing_.issue(choice.command, state_.queue.entry(choice.entry).bank, choice.clock);
  carry_out(choice);
}

// What a command changes besides the clocks.
void DramController::carry_out(const DramChoice& choice) {
  DramEntry& entry = state_.queue.entry(choice.entry);
  const int bank = entry.bank;
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
  if (column || !spec_.dual_command_bus) state_.last_column = choice.clock;
  if (!column || !spec_.dual_command_bus) state_.last_row = choice.clock;
}

void DramController::bus_taken(Cycles column, Cycles row) {
  state_.next_column = std::max(state_.next_column, column + 1);
  state_.next_row = std::max(state_.next_row, row + 1);
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
    state_.completions.push_back(read_completion(index, clock));
  }
  const Event event = entry.write ? Event::kDramWriteBytes : Event::kDramReadBytes;
  if (meter_) meter_->add(entry.op, event, entry.bursts * spec_.burst_bytes);
  state_.queue.remove(index);
}

// Before the queues had room nobody counted for it: that time is taken to be as the time after.
DramCompletion DramController::read_completion(int index, Cycles clock) const {
  const DramEntry& entry = state_.queue.entry(index);
  const Cycles queued = clock - entry.accepted + spec_.timing.burst;
  const Cycles moved = (bursts_done() - entry.bursts_before - entry.bursts) * spec_.timing.burst;
  const bool opened = state_.queue.bank(entry.bank).active == index;
  const Cycles own = (entry.bursts - 1) * spec_.timing.CCD_L + spec_.timing.burst + (opened ? spec_.timing.RCDRD : 0);
  const Cycles waited = std::max<Cycles>(0, clock - entry.arrival + spec_.timing.burst - own);
  const Cycles bus = waited * std::min(queued, moved) / queued, row = waited - bus;
  return {entry.id, clock + spec_.timing.CL + spec_.timing.burst, bus, row};
}

// A write waits for room in its queue only.
DramCompletion DramController::write_completion(const Arrival& arrival, Cycles clock) const {
  const Cycles waited = clock - arrival.clock;
  const Cycles bus = std::min(waited, (bursts_done() - arrival.bursts) * spec_.timing.burst);
  return {arrival.request.id, clock, bus, waited - bus};
}

// Without requests only refreshes happen. The first may have rows to close; then each falls due on its own grid, and
// any number of them is one step.
void DramController::skip_idle(Cycles now) {
  while (state_.refresh_due <= now) {
    const DramChoice next = refresh_choice(state_.queue, timing_, std::max(state_.refresh_due, state_.next_row));
    if (next.clock > now) return act_next(next.clock);
    issue(next);
    const bool on_grid = next.clock <= state_.refresh_due && spec_.timing.RFC <= spec_.timing.REFI && !trace_;
    const Cycles skipped = (now - state_.refresh_due) / spec_.timing.REFI;
    if (next.command != DramCommand::kRefresh || !on_grid || skipped <= 0) continue;
    refreshed(skipped);
  }
  act_next(state_.refresh_due);
}

std::string DramController::waiting_for() const {
  if (idle()) return "";
  return fmt::format("{} reads and {} writes queued, {} banks opening, {} requests in front of the queues",
                     state_.queue.size(false), state_.queue.size(true), std::popcount(state_.queue.active_banks()),
                     state_.arrivals.size());
}

}  // namespace tilewright
