// One core's program out of its parts of the operators.
#pragma once

#include <optional>
#include <vector>

#include "planner/emit/hazard_linker.h"
#include "planner/passes/link/early_loads.h"
#include "planner/passes/link/link_areas.h"
#include "planner/passes/link/link_barriers.h"

namespace tilewright {

class CoreLinker {
 public:
  struct Options {
    bool overlap = true;    // else an operator starts when the one before it is done
    Bytes early_loads = 0;  // in front of each load that waits (early_loads.h)
  };
  CoreLinker(const CoreSpec& core, const Options& options) : core_(core), areas_(core), options_(options) {}

  // The chip's next barrier, in the store stream: what this core stored before is written when it opens, and what it
  // loaded from `released` is there.
  void barrier(int participants, const std::vector<AddressRange>& released);
  // The core's part of the next operator, in plain order and without tokens; it reads `remote`. `moves`: where it lies
  // in the buffers; nothing: as suits this core. Returns where it lies.
  AreaMoves append(std::vector<Instruction> instructions, const std::vector<RemoteRange>& remote,
                   const std::optional<AreaMoves>& moves = {});
  CoreProgram take();

 private:
  struct Meeting {
    int participants = 0;
    std::vector<AddressRange> released;
  };

  // Appends the barrier of this number; instructions behind the barrier of this number (-1: none).
  void meet(int number);
  void place(Instruction instruction, int behind);
  // The number of the barrier that makes what other cores wrote visible to the instruction; -1: it reads nothing of it.
  static int barrier_of(const Instruction& instruction, const std::vector<RemoteRange>& remote);
  Latest behind_barrier(int number) const;
  AreaMoves place_in_buffers(std::vector<Instruction>& instructions, const std::optional<AreaMoves>& given);
  // Of the loads that an operator begins with, those that wait for no store come first; where the vector unit prepares
  // an operand with one that waits, those of the product behind it do so, too.
  void ready_loads_first(std::vector<Instruction>& instructions, const std::vector<RemoteRange>& remote) const;

  const CoreSpec& core_;
  HazardLinker linker_;
  AreaChoice areas_;
  const Options options_;
  std::vector<PlainInstruction> plain_;  // all of them, where loads may come early
  int turn_ = 0;                         // of the operator
  std::vector<Meeting> meetings_;        // by barrier
  std::vector<int> barriers_;            // their instructions
  Latest taken_ = kNoneYet;              // behind which no other core reads this one's buffers
};

}  // namespace tilewright
