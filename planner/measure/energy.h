// Energy of a run: every counted event times its picojoules from the hardware file, plus static power over the run.
#pragma once

#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/session.h"

namespace tilewright {

// Picojoules of the counted events.
double dynamic_energy_pj(const EnergySpec& energy, const EventCounts& events);

// Picojoules of static power in `time`.
double static_energy_pj(const EnergySpec& energy, Picoseconds time);

// In whole picojoules: the same text on every machine. UserError where 64 bits do not hold it.
std::int64_t rounded_energy(const Hardware& hardware, const Program& program, double picojoules);

struct ComponentEnergy {
  std::string component;  // as EventInfo::component; "static" last
  double picojoules = 0;
};
struct EnergyReport {
  std::vector<ComponentEnergy> components;  // add up to total_pj
  std::vector<double> operators_pj;         // as RunResult::operators, without static; add up to the dynamic part
  double static_pj = 0, total_pj = 0;
};
EnergyReport energy_of(const Hardware& hardware, const RunResult& result);

}  // namespace tilewright
