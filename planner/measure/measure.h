// Measured cost: what a plan's program took on the simulated chip.
#pragma once

#include <cstdint>
#include <string>

#include "planner/ir/objective.h"
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

// What one measurement came to, small enough to be kept and sent between processes.
struct Cost {
  Cycles cycles = 0;           // core clocks, launch to last completion
  std::int64_t energy_pj = 0;  // dynamic and static, rounded: the same text on every machine
  std::int64_t macs = 0;
  Bytes dram_read = 0, dram_written = 0;
  double utilisation = 0;          // of all matmul units of the chip over the run
  std::uint64_t program_hash = 0;  // of the program that was measured (sim/isa/binary.h)
  bool operator==(const Cost&) const = default;
};

// The figure to minimise: cycles, pJ, or cycles x pJ.
double value_of(const Cost& cost, Objective objective);

// Runs a linked plan, timing only.
Cost measure_cost(Session& session, const Plan& plan);

// One line of JSON; from_json throws InternalError for text that to_json did not make.
std::string to_json(const Cost& cost);
Cost cost_from_json(const std::string& text);

}  // namespace tilewright
