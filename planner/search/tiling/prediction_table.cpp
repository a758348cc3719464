#include "planner/search/tiling/prediction_table.h"

#include <cmath>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/measure/energy.h"
#include "sim/hw/config/timing_fingerprint.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

std::int64_t energy_of(const Hardware& hardware, const Program& program, const QueueModelRun& run) {
  const auto time = static_cast<Picoseconds>(run.cycles * static_cast<double>(hardware.core_clock.period_ps));
  const double energy_pj = dynamic_energy_pj(hardware.energy, run.events) + static_energy_pj(hardware.energy, time);
  return rounded_energy(hardware, program, energy_pj);
}

}  // namespace

PredictionTable::PredictionTable(const Hardware& hardware, Predictions* shared)
    : hardware_(hardware),
      known_(shared == nullptr ? own_ : *shared),
      chip_(shared == nullptr ? 0 : timing_fingerprint(hardware)) {}

double PredictionTable::cycles_up_to(double most, const Program& program) {
  return up_to(most, program, RouterBuffers::kLimited);
}

double PredictionTable::rough_cycles_up_to(double most, const Program& program) {
  return up_to(most, program, RouterBuffers::kUnlimited);
}

double PredictionTable::cycles_below(double limit, double most, const Program& program) {
  if (limit == kAny) return cycles(program);
  const double rough = rough_cycles_up_to(most, program);
  return rough < limit ? cycles(program) : rough;
}

Cost PredictionTable::cost_of(const Program& program, RouterBuffers buffers) {
  const Prediction& known = known_of(program, buffers, kAny);
  return {.cycles = static_cast<Cycles>(known.cycles), .energy_pj = known.energy_pj};
}

double PredictionTable::up_to(double most, const Program& program, RouterBuffers buffers) {
  const Prediction& known = known_of(program, buffers, most);
  return known.finished && known.cycles <= most ? std::floor(known.cycles) : std::nextafter(most, kAny);
}

const Prediction& PredictionTable::known_of(const Program& program, RouterBuffers buffers, double most) {
  const PredictionKey key{chip_, hash_of(program), buffers};
  const Prediction& known = known_.of(key);
  if (known.finished || known.cycles >= most) return known;
  const QueueModelRun run = queue_model_run(hardware_, program, buffers, most);
  return known_.learn(key, {run.finished, run.cycles, energy_of(hardware_, program, run)});
}

}  // namespace tilewright
