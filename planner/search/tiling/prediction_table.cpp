#include "planner/search/tiling/prediction_table.h"

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/measure/energy.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

Cost predicted_cost(const Hardware& hardware, const Program& program, RouterBuffers buffers) {
  const QueueModelRun run = queue_model_run(hardware, program, buffers);
  const auto time = static_cast<Picoseconds>(run.cycles * static_cast<double>(hardware.core_clock.period_ps));
  const double energy_pj = dynamic_energy_pj(hardware.energy, run.events) + static_energy_pj(hardware.energy, time);
  return {.cycles = static_cast<Cycles>(run.cycles), .energy_pj = rounded_energy(hardware, program, energy_pj)};
}

}  // namespace

const Cost& PredictionTable::rough_cost(const Program& program) {
  return known_in(rough_, program, RouterBuffers::kUnlimited);
}

const Cost& PredictionTable::cost(const Program& program) { return known_in(known_, program, RouterBuffers::kLimited); }

const Cost& PredictionTable::known_in(Costs& costs, const Program& program, RouterBuffers buffers) const {
  const auto [at, is_new] = costs.try_emplace(hash_of(program));
  if (is_new) at->second = predicted_cost(hardware_, program, buffers);
  return at->second;
}

}  // namespace tilewright
