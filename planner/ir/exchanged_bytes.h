// What cores read of each other.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Bytes of an operator that one core reads and another one writes during the run: parts of hidden tensors, and partial
// results handed on. What lies in memory before the run is nobody's.
Bytes exchanged_bytes(const Plan& plan, OperatorId op);

}  // namespace tilewright
