// Bounds: the least time an operator can need on a chip, whatever the plan. Never a prediction, never a measurement.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

struct Roofline {
  double compute_cycles = 0;    // multiply-adds at the rate of all arrays together
  double bandwidth_cycles = 0;  // compulsory bytes at the DRAM's peak rate
  Bytes compulsory_bytes = 0;   // inputs that must be read and the output, each once
  double cycles() const { return compute_cycles > bandwidth_cycles ? compute_cycles : bandwidth_cycles; }
};

// The bound of one operator on the whole chip, core clocks.
Roofline roofline_of(const Plan& plan, OperatorId id);
// Sums over all operators. Operators overlap, so cycles() of it, the larger of the two sums, is the bound.
Roofline roofline_of(const Plan& plan);

}  // namespace tilewright
