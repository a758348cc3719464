// Which loads the cluster's cache should keep.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Whether loads of an input are worth keeping in the cluster's cache: other cores of the cluster read them too. What
// one core reads alone only drives shared lines out.
bool worth_caching(const Plan& plan, OperatorId id, std::size_t item, std::size_t input);

}  // namespace tilewright
