// A schedule for people, and its measurements as a table.
#pragma once

#include <string>

#include "planner/search/schedule/schedule.h"

namespace tilewright {

std::string schedule_text(const SchedulePart& whole, const Schedule& schedule, const ScheduleOptions& options);

// part,order,cycles,replay_estimate,stream_estimate,order_estimate,peak_memory,memory_taken,nodes,rejected: one line
// per order timed; cycles are empty where the chip cannot run it.
std::string schedule_csv(const SchedulePart& whole, const Schedule& schedule);

}  // namespace tilewright
