#include "planner/search/tiling/plan_network.h"

#include <algorithm>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_network.h"

namespace tilewright {
namespace {

bool is_chosen(const Plan& plan, const TilingTask& task) {
  return std::any_of(task.uses.begin(), task.uses.end(), [&](OperatorId use) { return plan.options.choice_of(use); });
}

// The options of `plan` with what is predicted to be faster than the planner's own tilings; nothing: none is.
std::optional<PlanOptions> with_predicted_tilings(const Plan& plan) {
  const std::vector<TilingTask> tasks = tiling_tasks(plan);
  std::vector<TriedPoint> points;
  for (const TilingTask& task : tasks)
    points.push_back(is_chosen(plan, task) ? TriedPoint{} : predicted_tiling(plan.hardware, task.op));
  PlanOptions options = with_points(plan, tasks, points);
  if (options.choices.size() == plan.options.choices.size()) return {};
  for (OperatorChoice& choice : options.choices)
    if (!plan.options.choice_of(choice.op))
      for (Tiling& tiling : choice.tilings) tiling.reason = "predicted to be fastest by the queue model";
  return options;
}

// Whether the user leaves it to the planner how operators are cut over the cores, and the tilings to a prediction.
bool may_choose(const PlanOptions& options) {
  return options.refine && options.predict && options.parallel == Parallel::kFree && !options.strategies;
}

// Nothing that the planner could choose a tiling for is known before it, and no pass up to it reads a choice.
bool ends_before_tilings(const PassOptions& options) { return options.stop_after == kNeededForTasks; }

}  // namespace

Plan faster_plan(Plan first, Plan second) {
  const double time = queue_model_cycles(first.hardware, first.program);
  return queue_model_cycles(second.hardware, second.program) < time ? std::move(second) : std::move(first);
}

Plan plan_network(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
                  const PassOptions& pass_options) {
  if (!may_choose(options) || ends_before_tilings(pass_options))
    return make_plan(graph, hardware, options, pass_options);
  Plan own = make_plan(graph, hardware, options);  // what the user has to be told comes before any search
  const auto chosen = with_predicted_tilings(own);
  const bool whole = pass_options.stop_after.empty() && pass_options.dump_after.empty();
  if (chosen) {
    Plan other = make_plan(graph, hardware, *chosen);
    own = own.order.size() == 1 ? std::move(other) : faster_plan(std::move(own), std::move(other));
  }
  return whole ? std::move(own) : make_plan(graph, hardware, own.options, pass_options);
}

Measurement measure_network(Session& session, const Graph& graph, const PlanOptions& options) {
  return measure(session, plan_network(graph, session.hardware(), options));
}

}  // namespace tilewright
