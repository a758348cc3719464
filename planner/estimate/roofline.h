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
// The bound of the whole network, however it is planned: all multiply-adds, and what is read and written in any case,
// weights, inputs and outputs once. What is between operators need not pass through DRAM.
Roofline network_roofline_of(const Plan& plan);
// Requests of the longest that DRAM takes, for what passes through it whatever plan is made, known before any is:
// operands that products and convolutions are given, and results but those appended to what lies there. Less than
// network_roofline_of() counts.
double requests_in_any_plan(const Graph& graph, const Hardware& hardware);
// Sums over all operators, every result passing through DRAM but for what the plan keeps on the cores. A measure of
// what is left to gain by keeping more there; no bound of other plans.
Roofline operators_roofline_of(const Plan& plan);

}  // namespace tilewright
