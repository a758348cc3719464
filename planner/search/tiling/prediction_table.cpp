#include "planner/search/tiling/prediction_table.h"

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/measure/energy.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

Cost predicted_cost(const Hardware& hardware, const Program& program) {
  const QueueModelRun run = queue_model_run(hardware, program);
  const auto time = static_cast<Picoseconds>(run.cycles * static_cast<double>(hardware.core_clock.period_ps));
  const double energy_pj = dynamic_energy_pj(hardware.energy, run.events) + static_energy_pj(hardware.energy, time);
  return {.cycles = static_cast<Cycles>(run.cycles), .energy_pj = rounded_energy(hardware, program, energy_pj)};
}

}  // namespace

const Cost& PredictionTable::cost(const Program& program) {
  const std::uint64_t hash = hash_of(program);
  if (!known_.contains(hash)) known_[hash] = predicted_cost(hardware_, program);
  return known_.at(hash);
}

}  // namespace tilewright
