// How much simulation one program or network asks for, known before it begins.
#pragma once

#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Of this process; 0: any.
struct WorkLimit {
  double requests = 0;  // of one program to memory, its instructions counted among them
  double seconds = 0;   // of simulating it, as estimated from its requests
};
void set_work_limit(const WorkLimit& limit);

// About how many requests the program makes.
double estimated_requests(const Program& program, const Hardware& hardware);

// Of this machine's time, within a factor of three (work_limit.cpp).
double estimated_seconds(double requests);

// UserError naming the option when `requests` are more than the limit allows, or take longer.
void check_work(const std::string& where, double requests);

}  // namespace tilewright
