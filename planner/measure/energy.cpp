#include "planner/measure/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/checked.h"
#include "sim/base/error.h"

namespace tilewright {

double dynamic_energy_pj(const EnergySpec& energy, const EventCounts& events) {
  double sum = 0;
  for (int event = 0; event < kEventCount; ++event)
    sum += energy.picojoules[event] * static_cast<double>(events[event]);
  return sum;
}

double static_energy_pj(const EnergySpec& energy, Picoseconds time) {
  return energy.static_watts * static_cast<double>(time);  // W * ps = pJ
}

std::int64_t rounded_energy(const Hardware& hardware, const Program& program, double picojoules) {
  return checked_rounded(picojoules, [&] {
    throw UserError(hardware.name, fmt::format("energy.picojoules: '{}' takes {:g} pJ, more than 64 bits hold",
                                               program.name, picojoules));
  });
}

namespace {

void add_events(const EnergySpec& energy, const EventCounts& events, std::vector<ComponentEnergy>& components) {
  for (int event = 0; event < kEventCount; ++event) {
    const std::string component(info_of(static_cast<Event>(event)).component);
    auto it = std::find_if(components.begin(), components.end(),
                           [&](const ComponentEnergy& c) { return c.component == component; });
    if (it == components.end()) it = components.insert(it, {component, 0});
    it->picojoules += energy.picojoules[event] * static_cast<double>(events[event]);
  }
}

}  // namespace

EnergyReport energy_of(const Hardware& hardware, const RunResult& result) {
  EnergyReport report;
  for (const OperatorResult& op : result.operators) {
    report.operators_pj.push_back(dynamic_energy_pj(hardware.energy, op.events));
    add_events(hardware.energy, op.events, report.components);
  }
  report.static_pj = static_energy_pj(hardware.energy, result.time);
  report.components.push_back({"static", report.static_pj});
  for (const ComponentEnergy& component : report.components) report.total_pj += component.picojoules;
  SIM_CHECK(std::isfinite(report.total_pj) && report.total_pj >= 0, "the energy of a run is {} pJ", report.total_pj);
  return report;
}

}  // namespace tilewright
