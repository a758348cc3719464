// Who could hold up whom in a program: for every instruction the one before it in its stream, who posts the tokens that
// it waits for, which signals raise its flag, who else meets in its barrier. Follows from the program and, for flags,
// from when signals were sent.
#pragma once

#include <span>
#include <vector>

#include "sim/machine/core/instruction_times.h"

namespace tilewright {

struct ProgramPlace {
  int core = 0, index = 0;  // index -1: no instruction
};

class ProgramOrder {
 public:
  // All outlive this; `times` by core.
  ProgramOrder(const Program& program, std::span<const CoreTimes* const> times);

  const Instruction& at(ProgramPlace place) const { return program_.cores[place.core].instructions[place.index]; }
  const InstructionTimes& times(ProgramPlace place) const { return times_[place.core]->instructions()[place.index]; }
  const CoreTimes& core(int core) const { return *times_[core]; }
  int size(int core) const { return static_cast<int>(cores_[core].before.size()); }

  // The instruction `steps` earlier in the stream of `place`.
  ProgramPlace before(ProgramPlace place, int steps = 1) const;
  // Those that post what `place` waits for.
  std::span<const int> producers(ProgramPlace place) const;
  // The signal whose arrival completed what a Wait waits for.
  ProgramPlace last_signal(ProgramPlace wait) const;
  // The barrier instructions that opened together with this one.
  std::span<const ProgramPlace> meeting(ProgramPlace barrier) const;

 private:
  struct Core {
    std::vector<int> before;          // in the same stream; -1: none
    std::vector<int> first_producer;  // into `producers`; one more than instructions
    std::vector<int> producers;
    std::vector<int> sync;                           // of a Wait: signals needed so far; of a Barrier: its meeting
    std::vector<std::vector<ProgramPlace>> signals;  // by flag, in order of their sending
  };

  void order_streams(int core);
  void match_tokens(int core);
  void gather_signals();
  void count_waits(int core);
  void gather_meetings();

  const Program& program_;
  std::span<const CoreTimes* const> times_;
  std::vector<Core> cores_;
  std::vector<std::vector<ProgramPlace>> meetings_;
};

}  // namespace tilewright
