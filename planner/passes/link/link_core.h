// One core's program out of its parts of the operators.
#pragma once

#include <vector>

#include "planner/emit/hazard_linker.h"
#include "planner/passes/link/link_areas.h"
#include "planner/passes/link/link_barriers.h"

namespace tilewright {

class CoreLinker {
 public:
  // Without `overlap` an operator starts when the one before it is done.
  CoreLinker(const CoreSpec& core, bool overlap) : areas_(core), overlap_(overlap) {}

  // The chip's next barrier, in the store stream: what this core stored before is written when it opens, and what it
  // loaded from `released` is there.
  void barrier(int participants, const std::vector<AddressRange>& released);
  // The core's part of the next operator, in plain order and without tokens; it reads `remote`.
  void append(std::vector<Instruction> instructions, const std::vector<RemoteRange>& remote);
  CoreProgram take() { return {linker_.take(), 0}; }

 private:
  // Behind the barrier that makes what other cores wrote visible.
  Latest behind_barriers(const Instruction& instruction, const std::vector<RemoteRange>& remote) const;
  // Of the loads that an operator begins with, those that wait for no store come first.
  void ready_loads_first(std::vector<Instruction>& instructions, const std::vector<RemoteRange>& remote) const;

  HazardLinker linker_;
  AreaChoice areas_;
  bool overlap_;
  std::vector<int> barriers_;  // their instructions
};

}  // namespace tilewright
