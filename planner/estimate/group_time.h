// What a group's instructions keep the units of a core busy, for predictions.
#pragma once

#include <array>

#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// By unit, core clocks; instructions are read from memory, and stores share its way with the loads.
struct GroupTimes {
  std::array<double, kUnitCount> busy{};

  // `share`: bytes that memory gives the core per clock (bandwidth_share()).
  void add(const Hardware& hardware, const Instruction& instruction, double share);
  // This one, and so many times what `more` takes longer: of loads, and of what is computed.
  GroupTimes extended(const GroupTimes& more, double loads, double computed) const;
  GroupTimes extended(const GroupTimes& more, double times) const { return extended(more, times, times); }
  // `batches` times the longest of the units, and what the others take before and behind it once, for one of `blocks`.
  double cycles(double blocks, double batches = 1) const;
};

}  // namespace tilewright
