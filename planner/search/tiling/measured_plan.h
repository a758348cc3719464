// Plans of one network side by side on the simulated chip, where predictions are too close to choose by.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "planner/measure/measure.h"
#include "planner/measure/worker_pool.h"

namespace tilewright {

// What a worker measured and sent as to_json() has it; UserError naming `where` where it refused.
Cost answered_cost(const WorkerPool::Answer& answer, const std::string& where);

// Which of these finished plans of one chip takes the fewest cycles, of equals the first. Each is simulated in a worker
// process, `jobs` at once; the caller must not have elaborated a chip itself. UserError for one that the chip cannot
// run.
std::size_t fastest_measured(const std::vector<const Plan*>& plans, int jobs);

}  // namespace tilewright
