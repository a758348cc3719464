#include "planner/search/tiling/point_prediction.h"

#include <map>

#include "planner/constants/constants.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/estimate/roofline.h"
#include "planner/measure/energy.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {

bool is_predictable(const Hardware& hardware, const TilingOperator& op) {
  if (hardware.cores() > constants().predicted_cores) return false;
  return requests_in_any_plan(op.graph, hardware) <= static_cast<double>(constants().predicted_requests);
}

namespace {

using KnownCosts = std::map<std::uint64_t, Cost>;  // of programs, by hash

Cost predicted_cost(const Hardware& hardware, const Program& program) {
  const QueueModelRun run = queue_model_run(hardware, program);
  const auto time = static_cast<Picoseconds>(run.cycles * static_cast<double>(hardware.core_clock.period_ps));
  const double energy_pj = dynamic_energy_pj(hardware.energy, run.events) + static_energy_pj(hardware.energy, time);
  return {.cycles = static_cast<Cycles>(run.cycles), .energy_pj = rounded_energy(hardware, program, energy_pj)};
}

PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point,
                         KnownCosts& known) {
  try {
    Plan plan = make_plan(op.graph, hardware, options_of(op, hardware, point), {.stop_after = kNeededForTasks});
    run_passes(plan, kNeededForTasks, {}, false);
    const std::uint64_t hash = hash_of(plan.program);
    if (!known.contains(hash)) known[hash] = predicted_cost(hardware, plan.program);
    return {known.at(hash), {}};
  } catch (const UserError& refused) {
    return {std::nullopt, refused.what()};
  }
}

}  // namespace

PointCost predicted_cost(const Hardware& hardware, const TilingOperator& op, const TriedPoint& point) {
  KnownCosts none;
  return predicted_cost(hardware, op, point, none);
}

MeasurePoints predicted_by(const Hardware& hardware, const TilingOperator& op) {
  return [&hardware, &op, known = KnownCosts{}](const NextPoint& next, const PointDone& done) mutable {
    while (const auto point = next()) done(predicted_cost(hardware, op, *point, known));
  };
}

}  // namespace tilewright
