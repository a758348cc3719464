#include "planner/search/tiling/fewer_cores.h"

#include "planner/ir/hand_on.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_network.h"

namespace tilewright {
namespace {

// On the cores of `planned`; nothing where its own tiling is predicted to be fastest.
std::optional<OperatorChoice> better_tiling(TilingOperator op, const OperatorPlan& planned, PredictionTable& table) {
  const auto& items = planned.split.items;
  op.asked.cores = static_cast<int>(items.size());
  const TriedPoint best = predicted_tiling(table, op);
  if (!best.point) return {};
  OperatorChoice choice = choice_of(*best.point, op.graph, op.op, table.hardware(), op.type);
  for (std::size_t i = 0; i < choice.split.items.size(); ++i) choice.split.items[i].core = items.at(i).core;
  for (Tiling& tiling : choice.tilings) {
    tiling.rows_apart = planned.tilings.front().rows_apart;
    tiling.reason = "predicted to be fastest by the queue model on so many cores";
  }
  return choice;
}

}  // namespace

std::optional<PlanOptions> tilings_on_fewer_cores(const Plan& plan, const PlanOptions& asked, PredictionTable& table) {
  PlanOptions options = plan.options;
  bool found = false;
  for (const TilingTask& task : tiling_tasks(plan)) {
    const OperatorPlan& planned = plan.operators[task.uses.front()];
    const bool on_all = std::ssize(planned.split.items) >= plan.cores();
    if (on_all || !planned.partials.empty() || hands_on(planned) || is_chosen(asked, task)) continue;
    const auto choice = better_tiling(task.op, planned, table);
    if (!choice) continue;
    found = true;
    choose_for_uses(options, task, *choice);
  }
  return found ? std::optional(options) : std::nullopt;
}

}  // namespace tilewright
