#include "planner/search/database/tiling_transfer.h"

#include "planner/measure/energy.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/tiling/tiling_measurer.h"

namespace tilewright {
namespace {

TilingPrediction prediction_of(const OperatorShape& shape, const Hardware& hardware) {
  const TilingOperator alone = tiling_operator(shape);
  return {typed_plan(alone.graph, hardware, {.type = alone.type}), alone.op};
}

}  // namespace

TilingTransfer::TilingTransfer(const Plan& plan, OperatorId op, const OperatorShape& shape)
    : plan_(plan), op_(op), prediction_(prediction_of(shape, plan.hardware)) {}

bool TilingTransfer::fits(const TilingRecord& record) const {
  return check_choice(choice_of(record.point, plan_, op_), plan_).empty();
}

double TilingTransfer::growth(const TilingRecord& record) const {
  return cycles(record.point) / prediction_of(record.shape, plan_.hardware).cycles(record.point);
}

double transferred_energy_pj(const Hardware& chip, const TilingRecord& record, double rounds, double growth) {
  const double static_pj = static_energy_pj(chip.energy, chip.core_clock.to_ps(record.cost.cycles));
  return rounds * (static_cast<double>(record.cost.energy_pj) - static_pj) + growth * static_pj;
}

double TilingTransfer::cycles(const TilingPoint& point) const { return prediction_.cycles(point); }

}  // namespace tilewright
