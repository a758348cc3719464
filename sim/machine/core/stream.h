// One in-order stream of a core: bounded queue, instructions in flight, completion in program order, and the
// synchronising instructions, which work the same way in every stream.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/containers.h"
#include "sim/machine/core/instruction_times.h"
#include "sim/machine/core/scoreboard.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

// What a stream needs from its core.
class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  // The whole effect of `instruction` becomes visible now; its tokens are to be posted.
  virtual void completed(const Instruction& instruction, Picoseconds begin, Picoseconds now) = 0;
  // `instruction` has entered the queue of its stream.
  virtual void queued(const Instruction&, Picoseconds) {}
  // Of a transfer: its requests have been answered, its data are in place at `ready`.
  virtual void transferred(const Instruction&, const TransferTimes&, Picoseconds) {}
  // `instruction` has left the queue of its stream.
  virtual void started(const Instruction& instruction) = 0;
  // `op`: operator of the instruction.
  virtual void send_signal(const Signal& signal, std::uint16_t op, Picoseconds now) = 0;
  virtual void reach_barrier(Unit unit, const Barrier& barrier, Picoseconds now) = 0;
};

bool is_sync(const Instruction& instruction);

class Stream {
 public:
  Stream(Unit unit, int capacity, Scoreboard& scoreboard, StreamOwner& owner)
      : unit_(unit), capacity_(capacity), scoreboard_(scoreboard), owner_(owner) {}

  void reset() { state_ = State{}; }

  bool full() const { return static_cast<int>(state_.queue.size()) >= capacity_; }
  void push(const Instruction& instruction, Picoseconds now) {
    state_.queue.push_back(&instruction);
    owner_.queued(instruction, now);
  }
  // The next instruction to start; nullptr when none is queued.
  const Instruction* head() const { return state_.queue.empty() ? nullptr : state_.queue.front(); }

  // Starts the head when its waits are available. Returns nullptr when nothing started, else the instruction; its unit
  // then works on it and calls finish() with number_of_last().
  const Instruction* start(Picoseconds now);
  std::uint32_t number_of_last() const { return state_.first + static_cast<std::uint32_t>(state_.flight.size()) - 1; }
  std::uint32_t first_number() const { return state_.first; }  // of the oldest not completed
  // Instruction `number` may complete from `time` on.
  void finish(std::uint32_t number, Picoseconds time) { state_.flight[number - state_.first].ready = time; }

  // Completes what is ready, in order. Returns when the oldest one left becomes ready; kNever when that is unknown.
  Picoseconds retire(Picoseconds now);
  void release_barrier(Picoseconds now);

  bool idle() const { return state_.queue.empty() && state_.flight.empty(); }
  int queued() const { return static_cast<int>(state_.queue.size()); }
  int in_flight() const { return static_cast<int>(state_.flight.size()); }
  // `name`_queue: how full; `name`_in_flight: started and not completed.
  void add_probes(const std::string& name, Probes& probes) const;
  std::string waiting_for() const;

 private:
  struct InFlight {
    const Instruction* instruction = nullptr;
    Picoseconds begin = 0;
    Picoseconds ready = kNever;
  };
  struct State {
    Ring<const Instruction*> queue;
    Ring<InFlight> flight;
    std::uint32_t first = 0;  // number of flight.front()
    bool at_barrier = false;  // nothing behind a barrier starts before it is released
    bool barrier_reached = false;
  };

  bool can_start(const Instruction& instruction) const;
  void start_sync(const Instruction& instruction, Picoseconds now);
  void retire_oldest(Picoseconds now);
  void reach_barrier_at_front(Picoseconds now);

  const Unit unit_;
  const int capacity_;
  Scoreboard& scoreboard_;
  StreamOwner& owner_;
  State state_;
};

}  // namespace tilewright
