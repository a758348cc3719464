// One row per operator that ran: operators.csv.
#pragma once

#include <string>

#include "planner/report/report.h"

namespace tilewright {

// operator,kind,begin_ps,end_ps,cycles,bound_cycles,multiply_adds,utilisation_percent,dram_read_bytes,
// dram_written_bytes,dynamic_picojoules,split,tiling. Cycles of the core clock; fields quoted as RFC 4180 says.
std::string operators_csv(const Report& report);

}  // namespace tilewright
