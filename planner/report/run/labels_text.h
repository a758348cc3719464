// Labels of a plan, for people: every tensor's, and per core what it computes, with which partial results and from
// which memories.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

std::string labels_text(const Plan& plan);

}  // namespace tilewright
