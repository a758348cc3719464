// How a core of a replay gets its instructions: in blocks over the way to memory, some of them ahead.
#pragma once

#include <deque>
#include <vector>

#include "planner/cost/replay/replay_memory.h"
#include "planner/cost/replay/replay_sleeper.h"
#include "sim/isa/program.h"

namespace tilewright {

class ReplayFetch : public ReplayClient {
 public:
  // `owner` is woken when a block has arrived.
  ReplayFetch(const Hardware& hardware, int core, const CoreProgram& program, ReplayMemory& memory,
              ReplaySleeper& owner);

  bool over() const { return next_ == program_.instructions.size(); }
  // When the next instruction's bytes are there; kNever while that is not certain, or when there is none.
  Picoseconds next_ready() const;
  const Instruction& next() const { return program_.instructions[next_]; }
  void take();
  void fetch_ahead(Picoseconds now);

  void answered(const ReplayRequest& request, Picoseconds time) override;

 private:
  struct Block {
    Bytes missing = 0;
    Picoseconds ready = 0;
  };

  void request_block(Picoseconds now);

  const ControlSpec spec_;
  const Bytes grain_;
  const int cluster_;
  const CoreProgram& program_;
  ReplayMemory& memory_;
  ReplaySleeper& owner_;
  Bytes total_ = 0, requested_ = 0;
  std::size_t next_ = 0;
  Bytes next_end_ = 0;            // last byte of the next instruction
  std::deque<Block> blocks_;      // from first_block_ on
  std::int64_t first_block_ = 0;  // oldest with bytes not taken
};

}  // namespace tilewright
