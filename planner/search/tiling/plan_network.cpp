#include "planner/search/tiling/plan_network.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/ir/group.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_network.h"

namespace tilewright {
namespace {

bool is_chosen(const Plan& plan, const TilingTask& task) {
  return std::any_of(task.uses.begin(), task.uses.end(), [&](OperatorId use) { return plan.options.choice_of(use); });
}

// By TilingOperator::key: what was predicted already.
using PredictedTilings = std::map<std::string, TriedPoint>;

// The options of `plan` with what is predicted to be faster than the planner's own tilings; nothing: none is.
std::optional<PlanOptions> with_predicted_tilings(const Plan& plan, PredictedTilings& known) {
  const std::vector<TilingTask> tasks = tiling_tasks(plan);
  std::vector<TriedPoint> points;
  for (const TilingTask& task : tasks) {
    if (is_chosen(plan, task)) {
      points.push_back({});
      continue;
    }
    const auto [at, is_new] = known.try_emplace(task.op.key);
    if (is_new) at->second = predicted_tiling(plan.hardware, task.op);
    points.push_back(at->second);
  }
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

// `own`, or the same with predicted tilings.
Plan with_faster_tilings(const Graph& graph, Plan own, PredictedTilings& known) {
  const auto chosen = with_predicted_tilings(own, known);
  if (!chosen) return own;
  Plan other = make_plan(graph, own.hardware, *chosen);
  return own.order.size() == 1 ? std::move(other) : faster_plan(std::move(own), std::move(other));
}

// The options of `plan` without its groups of convolutions, where it has some that nobody asked for.
std::optional<PlanOptions> with_windows_apart(const Plan& plan) {
  PlanOptions options = plan.options;
  if (!options.groups || !options.groups->source.empty()) return {};
  std::set<std::string> windows;  // their first operators
  for (const OperatorGroup& group : plan.groups)
    if (walks_windows(plan.graph, group)) windows.insert(plan.graph.op(group.members.front()).name);
  if (windows.empty()) return {};
  std::erase_if(options.groups->groups,
                [&](const GroupChoice::Group& group) { return windows.count(group.operators.front()) > 0; });
  return options;
}

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
  const bool whole = pass_options.stop_after.empty() && pass_options.dump_after.empty();
  PredictedTilings known;
  const auto apart = options.groups ? std::nullopt : with_windows_apart(own);
  own = with_faster_tilings(graph, std::move(own), known);
  if (apart) own = faster_plan(std::move(own), with_faster_tilings(graph, make_plan(graph, hardware, *apart), known));
  return whole ? std::move(own) : make_plan(graph, hardware, own.options, pass_options);
}

Measurement measure_network(Session& session, const Graph& graph, const PlanOptions& options) {
  return measure(session, plan_network(graph, session.hardware(), options));
}

}  // namespace tilewright
