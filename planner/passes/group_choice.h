// What is computed together where the user leaves it to the planner, found by plans made on trial.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// By predicted time (tile/together.h), for options without groups. Choices for operators and orders do not count.
GroupChoice predicted_groups(const Graph& graph, const Hardware& hardware, const PlanOptions& options);

// The same beside chains of operators that `decompose` would cut into parts, since memory has no room for what is
// between them: walked by rows they need none. With and without those that are next to them in a chain. Nothing where
// there are none, or the options say what is computed together or cut.
std::vector<GroupChoice> groups_for_parts(const Graph& graph, const Hardware& hardware, const PlanOptions& options);

}  // namespace tilewright
