// Instructions of one core for one operator in program order, made from what each instruction touches.
//
// A lowering names areas of on-chip memory (slots) and says, instruction by instruction in the plain order of the
// computation, which slots are used. The pipeline then moves loads ahead of the step that needs them, as far as their
// slot is free and at most `lookahead` loads, so that they run while earlier steps compute. Tokens between the streams
// are put in when operators are joined (hazard_linker.h).
#pragma once

#include <algorithm>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/ir/plan.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"

namespace tilewright {

using Slot = int;

class Pipeline {
 public:
  // `lookahead`: loads that may be under way before their step, below the hardware's unit queue.
  Pipeline(int core, std::uint16_t op, int lookahead) : core_(core), op_(op), lookahead_(lookahead) {}

  // Whose instructions these are.
  int core() const { return core_; }

  Slot add_slot();
  // Instructions below belong to another operator of the program.
  void set_operator(std::uint16_t op) { op_ = op; }
  // Opens the next step: loads below belong to it, everything else below runs in it in the order given.
  void begin_step() { steps_.push_back({}); }
  void load(const Transfer& transfer, Slot target) { load(Payload{transfer}, target); }
  // As above for whatever has to pass in the load stream before the slot is filled: a wait for another core.
  void load(Payload payload, Slot target) { load(std::move(payload), std::vector<Slot>{target}); }
  // As above, not before its step: the other core may wait for what earlier steps hand on to it.
  void load_in_step(Payload payload, Slot target);
  // Fills several slots.
  void load(Payload payload, const std::vector<Slot>& targets);
  void emit(Unit unit, Payload payload, const std::vector<Slot>& reads, const std::vector<Slot>& writes);
  std::vector<Instruction> finish();

 private:
  struct Load {
    Instruction instruction;
    int needed_by;  // step
    int free_from;  // step before which the slot is still in use
  };

  int current_step() const;
  Instruction instruction(Unit unit, Payload payload) const { return {unit, op_, {}, {}, std::move(payload)}; }

  const int core_;
  std::uint16_t op_;
  int lookahead_;
  std::vector<Load> loads_;
  std::vector<std::vector<Instruction>> steps_;
  std::vector<int> last_use_;  // by slot: the latest step that names it, -1 none
};

// Equal areas of one memory used in turn.
class SlotRing {
 public:
  struct Place {
    Slot slot;
    Address address;
  };
  SlotRing(Pipeline& pipeline, Address base, Bytes each, int count);
  Place next();

 private:
  std::vector<Place> places_;
  std::size_t next_ = 0;
};

// Loads that may run ahead of the step that needs them: half the queue in front of a unit, so that the loads never keep
// the instructions behind them from being dispatched.
inline int load_lookahead(const Hardware& hardware) {
  return std::max(1, hardware.core.control.unit_queue / static_cast<int>(constants().lookahead_divisor));
}

// Of the part `item` of an operator, on the core that has it.
inline Pipeline pipeline_of(const Plan& plan, OperatorId id, std::size_t item) {
  return {plan.operators[id].split.items.at(item).core, program_operator(id), load_lookahead(plan.hardware)};
}

}  // namespace tilewright
