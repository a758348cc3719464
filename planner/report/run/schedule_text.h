// A schedule for people, its measurements as a table, its graph for graphviz.
#pragma once

#include <string>

#include "planner/search/order/schedule.h"

namespace tilewright {

std::string schedule_text(const SchedulePart& whole, const Schedule& schedule, const ScheduleOptions& options);

// part,order,cycles,queue_model_estimate,stream_estimate,order_estimate,peak_memory,memory_taken,nodes,rejected: one
// line per order timed; cycles are empty where the chip cannot run it, and where nothing was measured.
std::string schedule_csv(const SchedulePart& whole, const Schedule& schedule);

// Parts are boxes in the order they run, key nodes stand out, and every operator has its place in the chosen order.
std::string to_dot(const SchedulePart& whole, const Schedule& schedule);

}  // namespace tilewright
