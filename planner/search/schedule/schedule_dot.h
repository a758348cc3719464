// The graph of a schedule for graphviz.
#pragma once

#include <string>

#include "planner/search/schedule/schedule.h"

namespace tilewright {

// Parts are boxes in the order they run, key nodes stand out, and every operator has its place in the chosen order.
std::string to_dot(const SchedulePart& whole, const Schedule& schedule);

}  // namespace tilewright
