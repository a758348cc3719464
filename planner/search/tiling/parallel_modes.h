// Which parallel mode a workload is fastest in: planned and measured in each.
#pragma once

#include <string>
#include <vector>

#include "planner/measure/measure.h"

namespace tilewright {

// What a workload takes in one of the parallel modes.
struct ModeCost {
  Parallel mode = Parallel::kFree;
  Cost cost;
};

// Plans and simulates `graph` in every mode, in worker processes. UserError of the first mode that cannot be planned.
// The caller must not have elaborated a chip itself.
std::vector<ModeCost> measure_modes(const Graph& graph, const Hardware& hardware, const PlanOptions& options);

// The mode with the fewest cycles; of equal ones the first.
Parallel fastest_mode(const std::vector<ModeCost>& costs);

// One line per mode: cycles, and how many times the fastest.
std::string modes_text(const std::vector<ModeCost>& costs);

}  // namespace tilewright
