#include "planner/search/tiling/prediction_table.h"

#include <cmath>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/measure/energy.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

Cost cost_of(const Hardware& hardware, const Program& program, const QueueModelRun& run) {
  const auto time = static_cast<Picoseconds>(run.cycles * static_cast<double>(hardware.core_clock.period_ps));
  const double energy_pj = dynamic_energy_pj(hardware.energy, run.events) + static_energy_pj(hardware.energy, time);
  return {.cycles = static_cast<Cycles>(run.cycles), .energy_pj = rounded_energy(hardware, program, energy_pj)};
}

}  // namespace

double PredictionTable::cycles_up_to(double most, const Program& program) {
  return up_to(known_, most, program, RouterBuffers::kLimited);
}

double PredictionTable::rough_cycles_up_to(double most, const Program& program) {
  return up_to(rough_, most, program, RouterBuffers::kUnlimited);
}

double PredictionTable::cycles_below(double limit, double most, const Program& program) {
  if (limit == kAny) return cycles(program);
  const double rough = rough_cycles_up_to(most, program);
  return rough < limit ? cycles(program) : rough;
}

double PredictionTable::up_to(Costs& costs, double most, const Program& program, RouterBuffers buffers) const {
  const Known& known = known_in(costs, program, buffers, most);
  return known.finished ? static_cast<double>(known.cost.cycles) : std::nextafter(known.above, kAny);
}

const PredictionTable::Known& PredictionTable::known_in(Costs& costs, const Program& program, RouterBuffers buffers,
                                                        double most) const {
  Known& known = costs.try_emplace(hash_of(program)).first->second;
  if (known.finished || known.above >= most) return known;
  const QueueModelRun run = queue_model_run(hardware_, program, buffers, most);
  known = {cost_of(hardware_, program, run), run.finished, most};
  return known;
}

}  // namespace tilewright
