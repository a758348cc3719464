// One operand of a part that cores hand on (ir/hand_on.h), as instructions: for every step of the sum, where its strips
// come from, and the signals between this core, the one that it takes from and the one that takes from it.
//
// All parts of a chain load alike, so a strip lies in the buffer of the core behind where this core had the same strip
// of the step before. All signals and waits are of the load stream, in which a signal holds up nothing.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>

#include "planner/emit/area_ring.h"
#include "planner/ir/hand_on.h"

namespace tilewright {

class OperandChain {
 public:
  // `space`: the buffer of the operand, the same on all cores.
  OperandChain(Pipeline& pipeline, const HandOn& place, Space space)
      : pipeline_(pipeline), place_(place), space_(space) {}

  // What of the operand a step reads besides its range of the sum: batch, partition.
  using Outer = std::array<std::int64_t, 2>;
  // The next step of the sum begins; the steps before have their loads. `there`: the buffer holds what it reads.
  void begin_step(const Outer& outer, bool there);
  // In front of the step's loads, once all operands have begun it.
  void await();
  // A strip of the current step, about to be loaded if it is fresh: the place in another core's buffer that it is to be
  // loaded from; nothing: memory.
  std::optional<Box> source(std::int64_t strip, const AreaRing::Found& at);
  // Behind the last step: nobody takes anything from this core any more.
  void finish();

 private:
  bool active() const { return place_.from != kNoCore || place_.to != kNoCore; }
  void signal(int core, int flag) { pipeline_.load(Signal{core, flag}, std::vector<Slot>{}); }
  void wait(int flag) { pipeline_.load(Wait{flag, 1}, std::vector<Slot>{}); }
  void wait_until_taken(Address address);

  using Strips = std::map<std::int64_t, Address>;
  Pipeline& pipeline_;
  const HandOn place_;
  const Space space_;
  std::optional<Outer> outer_;  // of the current step
  bool moves_ = false;          // what the step reads goes from core to core
  Strips strips_, before_;      // of the current step, and of the one before it
  std::deque<Strips> handed_;   // steps that another core takes, and has not been waited for
};

}  // namespace tilewright
