// Measured cost: what a plan's program took on the simulated chip.
#pragma once

#include "planner/measure/energy.h"
#include "planner/passes/pass.h"
#include "sim/session.h"

namespace tilewright {

struct Measurement {
  Cycles cycles = 0;     // core clocks, launch to last completion
  double energy_pj = 0;  // dynamic and static
  RunResult result;
};

// Runs a linked plan. Without options.values only time and events are simulated.
Measurement measure(Session& session, const Plan& plan, const RunOptions& options = {});

// A graph of one operator: copies of `op` and of its tensors, all its inputs in DRAM before the run.
Graph single_operator_graph(const Graph& graph, OperatorId op);

// Plans a graph on the session's chip and measures it: the one path from an operator to its cost.
Measurement measure(Session& session, const Graph& graph, const PlanOptions& plan_options = {});

}  // namespace tilewright
