#include "planner/search/tiling/plan_network.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "planner/constants/constants.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/ir/group.h"
#include "planner/ir/siblings.h"
#include "planner/search/tiling/neighbour_splits.h"
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

// The options of `plan` without merged operators, where it has some that nobody asked for.
std::optional<PlanOptions> with_siblings_apart(const Plan& plan) {
  if (!plan.options.groups || plan.options.groups->merged.empty()) return {};
  PlanOptions options = plan.options;
  options.groups.reset();
  options.merge = false;
  return options;
}

// The options of `plan` with those siblings merged as well that formulas found slower so: their tilings of large
// products are not the ones that are chosen in the end.
std::optional<PlanOptions> with_all_siblings_merged(const Plan& plan) {
  PlanOptions options = plan.options;
  const auto sets = sibling_sets(plan.graph);
  const bool may = options.groups && options.fuse && options.merge && options.group == Grouping::kAuto &&
                   options.order.empty() && options.type != DataType::kInt8;
  if (!may || sets.empty()) return {};
  for (const std::vector<OperatorId>& set : sets) {
    options.groups->merged.emplace_back();
    for (const OperatorId id : set) options.groups->merged.back().operators.push_back(plan.graph.op(id).name);
  }
  return options;
}

// A finished plan, until another one is predicted to be faster.
class FastestPlan {
 public:
  explicit FastestPlan(Plan plan) : plan_(std::move(plan)) {}

  // Takes `other` if it is predicted to take less time by more than the share `gain` of it.
  void challenge(Plan other, double gain = 0) { challenge(FastestPlan(std::move(other)), gain); }
  void challenge(FastestPlan other, double gain = 0) {
    if (other.cycles() < cycles() * (1 - gain)) *this = std::move(other);
  }
  void replace(Plan other) { plan_ = std::move(other), cycles_.reset(); }

  const Plan& plan() const { return plan_; }
  Plan take() { return std::move(plan_); }

 private:
  double cycles() {
    if (!cycles_) cycles_ = queue_model_cycles(plan_.hardware, plan_.program);
    return *cycles_;
  }

  Plan plan_;
  std::optional<double> cycles_;  // predicted
};

// `plan` with the tilings that are predicted to be fastest, then with splits that know their neighbours, each where the
// network is predicted to be faster with it.
FastestPlan improved(const Graph& graph, Plan plan, const PlanOptions& asked, PredictedTilings& known) {
  const Hardware hardware = plan.hardware;
  FastestPlan fastest(std::move(plan));
  if (const auto chosen = with_predicted_tilings(fastest.plan(), known)) {
    Plan other = make_plan(graph, hardware, *chosen);
    if (other.order.size() == 1)
      fastest.replace(std::move(other));
    else
      fastest.challenge(std::move(other));
  }
  if (const auto splits = neighbour_splits(fastest.plan(), asked))
    fastest.challenge(make_plan(graph, hardware, *splits), constants().neighbour_gain);
  return fastest;
}

// `plan`, or the same without its groups of convolutions, each improved.
FastestPlan best_grouped(const Graph& graph, Plan plan, const PlanOptions& asked, PredictedTilings& known) {
  const auto apart = with_windows_apart(plan);
  const Hardware hardware = plan.hardware;
  FastestPlan fastest = improved(graph, std::move(plan), asked, known);
  if (apart) fastest.challenge(improved(graph, make_plan(graph, hardware, *apart), asked, known));
  return fastest;
}

// By how much a network with siblings merged must be predicted faster: two predictions differ by the errors of both, of
// which the median is 1 % (docs/estimate.md).
constexpr double kMergedGain = 0.02;

// `plan`, or the same with no or more siblings merged: merged is what has to be predicted faster.
FastestPlan best_merged(const Graph& graph, Plan plan, const PlanOptions& asked, PredictedTilings& known) {
  const Hardware hardware = plan.hardware;
  const auto none = with_siblings_apart(plan), all = with_all_siblings_merged(plan);
  const auto grouped = [&](Plan of) { return best_grouped(graph, std::move(of), asked, known); };
  FastestPlan fastest = grouped(none ? make_plan(graph, hardware, *none) : plan);
  if (none) fastest.challenge(grouped(std::move(plan)), kMergedGain);
  if (all) fastest.challenge(grouped(make_plan(graph, hardware, *all)), kMergedGain);
  return fastest;
}

// Whether pieces next to the cores that use them could be worse placed than in turn: of one operator. What one hands to
// the next is near with splits that know their neighbours, and far in turn.
bool placement_is_open(const Plan& plan) {
  const Hardware& hardware = plan.hardware;
  return plan.options.placement == Placement::kAuto && plan.order.size() == 1 && hardware.dram.regions > 1 &&
         hardware.cores() <= constants().predicted_cores;
}

Plan placed_in_turn(const Graph& graph, const Hardware& hardware, PlanOptions options) {
  options.placement = Placement::kRoundRobin;
  return plan_network(graph, hardware, options);
}

}  // namespace

Plan faster_plan(Plan first, Plan second) {
  FastestPlan fastest(std::move(first));
  fastest.challenge(std::move(second));
  return fastest.take();
}

Plan plan_network(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
                  const PassOptions& pass_options) {
  if (!may_choose(options) || ends_before_tilings(pass_options))
    return make_plan(graph, hardware, options, pass_options);
  Plan plain = make_plan(graph, hardware, options);  // what the user has to be told comes before any search
  PredictedTilings known;
  FastestPlan fastest = options.groups ? improved(graph, std::move(plain), options, known)
                                       : best_merged(graph, std::move(plain), options, known);
  if (placement_is_open(fastest.plan()))
    fastest.challenge(placed_in_turn(graph, hardware, options), constants().neighbour_gain);
  Plan own = fastest.take();
  const bool whole = pass_options.stop_after.empty() && pass_options.dump_after.empty();
  return whole ? std::move(own) : make_plan(graph, hardware, own.options, pass_options);
}

Measurement measure_network(Session& session, const Graph& graph, const PlanOptions& options) {
  return measure(session, plan_network(graph, session.hardware(), options));
}

}  // namespace tilewright
