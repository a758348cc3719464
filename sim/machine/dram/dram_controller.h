// One pseudo channel of DRAM with its controller, without the kernel: requests go in with a clock, completions come out
// with a clock. Nothing is clocked: advance() executes what falls due, and gives the same result whether it is called
// every clock or only when next_wakeup() asks for it.
//
// Requests wait in an unbounded in-order queue; each clock the oldest may enter the read or the write queue if that has
// room (head-of-line blocking), and earliest one clock later its first command is issued. Open page, all-bank refresh,
// write drain between two fill levels. A read that hits a queued write is not forwarded, equal writes are not merged.
#pragma once

#include <string>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/machine/dram/dram_column_run.h"
#include "sim/machine/dram/dram_scheduler.h"

namespace tilewright {

// `bursts` consecutive column accesses of one row of one bank.
struct DramRequest {
  int bank = 0;  // flat: bank_group * banks_per_group + bank
  Address row = 0;
  int bursts = 1;
  bool write = false;
  std::uint16_t op = 0;  // energy is counted for it
  std::uint32_t id = 0;  // returned with the completion
};

// A read completes with its last data beat, a write when the write queue takes it. `clock` may lie in the future: it is
// told as soon as it is certain.
struct DramCompletion {
  std::uint32_t id;
  Cycles clock;
  // Of the clocks from push to completion: waited while the bus moved others' data, and while it moved none. The rest
  // is what the access takes by itself.
  Cycles bus = 0, row = 0;
};

struct DramCounters {
  std::int64_t reads = 0, writes = 0;                            // requests
  std::int64_t row_hits = 0, row_misses = 0, row_conflicts = 0;  // requests, by the state they found their bank in
  std::int64_t activates = 0, precharges = 0, refreshes = 0;
  std::int64_t read_bursts = 0, write_bursts = 0;
  std::int64_t reads_done = 0;  // requests whose last column command has been issued
  Cycles read_latency = 0;      // summed over these, from push to last data beat
  bool operator==(const DramCounters&) const = default;
};

class DramController {
 public:
  // `meter`, if given, receives activates, bytes and refreshes.
  explicit DramController(const DramSpec& spec, EventMeter* meter = nullptr);

  void reset();
  // `now` is not before the last push and not before the clock advanced to.
  void push(const DramRequest& request, Cycles now);
  // Executes every command and acceptance up to and including clock `now`.
  void advance(Cycles now);
  // Executes what is queued, as if nothing more came, and returns the clock at which the last data beat is over.
  Cycles drain();
  // Completions learned since the list was last cleared; reads in order of clock. The caller clears it.
  std::vector<DramCompletion>& completions() { return state_.completions; }
  // At or before the next completion that is not in the list yet; kNeverCycle without work.
  Cycles next_wakeup() const;

  // For controllers that share a command bus (dram_command_bus.h). At or before the next clock at which there is a
  // command to issue or a request to accept; later than the clock advanced to.
  Cycles next_action() const { return state_.next_action; }
  // The clocks of the last commands; -1 before the first. Without a dual bus every command takes both.
  Cycles last_column() const { return state_.last_column; }
  Cycles last_row() const { return state_.last_row; }
  // Of the last burst issued.
  Cycles data_end() const { return state_.data_end; }
  // Another has taken the bus of column commands at one clock, that of row commands at another.
  void bus_taken(Cycles column, Cycles row);

  bool idle() const { return state_.queue.empty() && state_.arrivals.empty(); }
  const DramCounters& counters() const { return state_.counters; }
  std::string waiting_for() const;  // empty when idle
  // Every command from now on is appended to `trace`; nullptr ends it.
  void record(std::vector<IssuedCommand>* trace) { trace_ = trace; }

 private:
  struct Arrival {
    DramRequest request;
    Cycles clock;
    std::int64_t bursts;  // done by then
  };
  struct State {
    explicit State(const DramSpec& spec);

    DramQueue queue;
    DramScheduler scheduler;
    DramColumnRun run;
    Ring<Arrival> arrivals;
    int writes_waiting = 0;  // in arrivals
    std::vector<DramCompletion> completions;
    DramCounters counters;
    Cycles next_column = 0, next_row = 0;  // first clock at which the command bus is free
    Cycles last_column = -1, last_row = -1;
    Cycles next_action = kNeverCycle;
    Cycles advanced_to = -1;
    Cycles data_end = 0;     // of the last burst issued
    Cycles next_accept = 0;  // one acceptance per clock
    Cycles refresh_due = kNeverCycle;
    std::int64_t accepted = 0;
    bool draining = false;  // writes are served
  };

  std::int64_t bursts_done() const { return state_.counters.read_bursts + state_.counters.write_bursts; }
  DramCompletion read_completion(int index, Cycles clock) const;
  DramCompletion write_completion(const Arrival& arrival, Cycles clock) const;
  Cycles columns_limit(Cycles now);
  Cycles issue_columns(Cycles now);
  Cycles issue_one_column(Cycles clock, Cycles now);
  Cycles update_run(Cycles from);
  bool issue_run(DramColumnRun& run);
  bool has_room(bool write) const;
  Cycles accept_clock() const;
  void accept();
  void choose_direction();
  DramChoice choose();
  static DramChoice choose_single(const DramColumnChoice& column, const DramChoice& row, const DramChoice& refresh);
  static DramChoice choose_dual(const DramChoice& column, const DramChoice& row, const DramChoice& refresh);
  void issue(const DramChoice& choice);
  void carry_out(const DramChoice& choice);
  void note_clock(const DramChoice& choice);
  void issue_refresh_command(const DramChoice& choice);
  void classify(DramEntry& entry);
  void issue_column(const DramChoice& choice);
  void finish(int index, Cycles clock);
  void skip_idle(Cycles now);
  void act_next(Cycles clock) { state_.next_action = clock; }
  void refreshed(std::int64_t count);
  Cycles not_before(DramCommand command, int bank) const;
  Cycles queues_resume() const;
  Cycles earliest_read(int bank, Cycles resume) const;
  Cycles rest_of(int entry) const;
  Cycles earliest_activate(int bank, Cycles resume) const;
  Cycles earliest_exit(int bank, bool write) const;

  const DramSpec spec_;
  EventMeter* const meter_;
  const int drain_above_;  // writes waiting
  const double drain_below_;
  std::vector<IssuedCommand>* trace_ = nullptr;
  DramTimingState timing_;
  State state_;
};

}  // namespace tilewright
