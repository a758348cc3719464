#include "planner/search/tiling/plan_network.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "planner/constants/constants.h"
#include "planner/ir/group.h"
#include "planner/ir/region_allocator.h"
#include "planner/ir/siblings.h"
#include "planner/passes/group_choice.h"
#include "planner/search/tiling/cluster_panels.h"
#include "planner/search/tiling/element_operands.h"
#include "planner/search/tiling/fewer_cores.h"
#include "planner/search/tiling/first_block.h"
#include "planner/search/tiling/neighbour_splits.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/predicted_splits.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_network.h"

namespace tilewright {
namespace {

// What has been predicted while a network is planned.
struct KnownPlans {
  KnownPlans(const Hardware& hardware, Predictions* shared) : programs(hardware, shared) {}
  PredictionTable programs;
  std::map<std::string, TriedPoint> tilings;  // by TilingOperator::key
};

// The options of `plan` with what is predicted to be faster than the planner's own tilings; nothing: none is.
std::optional<PlanOptions> with_predicted_tilings(const Plan& plan, KnownPlans& known) {
  const std::vector<TilingTask> tasks = tiling_tasks(plan);
  std::vector<TriedPoint> points;
  for (const TilingTask& task : tasks) {
    if (is_chosen(plan.options, task)) {
      points.push_back({});
      continue;
    }
    const auto [at, is_new] = known.tilings.try_emplace(task.op.key);
    if (is_new) at->second = predicted_tiling(known.programs, task.op);
    points.push_back(at->second);
  }
  PlanOptions options = with_points(plan, tasks, points);
  if (options.choices.size() == plan.options.choices.size()) return {};
  for (OperatorChoice& choice : options.choices)
    if (!plan.options.choice_of(choice.op))
      for (Tiling& tiling : choice.tilings) tiling.reason = "predicted to be fastest by the queue model";
  return options;
}

// Whether the user leaves it to the planner how operators are cut, and the chip's size to a prediction.
bool may_choose(const Hardware& hardware, const PlanOptions& options) {
  return options.refine && options.predict && !options.strategies && predicts_on(hardware);
}

// Nothing that the planner could choose a tiling for is known before it, and no pass up to it reads a choice.
bool ends_before_tilings(const PassOptions& options) { return options.stop_after == kNeededForTasks; }

// Whether the group's products read weights, all of them for every block of rows where they do not stay on the core.
bool streams_weights(const Graph& graph, const OperatorGroup& group) {
  return !walks_windows(graph, group) && std::ranges::any_of(group.members, [&](OperatorId member) {
    return graph.op(member).kind == OpKind::kMatMul && is_constant(graph, graph.op(member).inputs[1]);
  });
}

// The options of `plan` without its groups of convolutions, without those of products that read weights, and without
// either, where it has some that nobody asked for: formulas take what operators read from the cluster for DRAM's.
std::vector<PlanOptions> with_groups_apart(const Plan& plan) {
  if (!plan.options.groups || !plan.options.groups->source.empty()) return {};
  std::set<std::string> windows, weights;  // their first operators
  for (const OperatorGroup& group : plan.groups) {
    const std::string& first = plan.graph.op(group.members.front()).name;
    if (walks_windows(plan.graph, group)) windows.insert(first);
    if (streams_weights(plan.graph, group)) weights.insert(first);
  }
  std::vector<PlanOptions> ways;
  const auto add_without = [&](const std::set<std::string>& apart) {
    std::erase_if(ways.emplace_back(plan.options).groups->groups,
                  [&](const GroupChoice::Group& group) { return apart.count(group.operators.front()) > 0; });
  };
  if (!windows.empty()) add_without(windows);
  if (!weights.empty()) add_without(weights);
  if (ways.size() < 2) return ways;
  windows.merge(weights);
  add_without(windows);
  return ways;
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
  const auto sets = sibling_sets(plan.graph);  // of those that are not merged yet
  const bool may = options.groups && options.fuse && options.merge && options.group == Grouping::kAuto &&
                   options.type != DataType::kInt8;
  if (!may || sets.empty()) return {};
  options.groups->merged.insert(options.groups->merged.end(), sets.begin(), sets.end());
  return options;
}

// The options of `plan` with images as their shapes say, where some lie otherwise.
std::optional<PlanOptions> with_row_major_images(const Plan& plan) {
  if (std::ranges::all_of(plan.tensors, [](const TensorPlan& tensor) { return tensor.nesting.empty(); })) return {};
  PlanOptions options = plan.options;
  options.layout = ImageLayout::kRowMajor;
  return options;
}

// What a network is predicted to take, or something above `most`. Of a large one of equal blocks, which would gain or
// lose the same, the first block stands for all, roughly; what is behind goes by its operators' predictions by
// themselves.
double cycles_up_to(double most, const Plan& plan, PredictionTable& table) {
  if (!plan.graph.repeats || share_in_network(plan) == 1) return table.cycles_up_to(most, plan.program);
  return table.rough_cycles_up_to(most, program_of_first_block(plan));
}

double cycles_of(const Plan& plan, PredictionTable& table) {
  return cycles_up_to(std::numeric_limits<double>::infinity(), plan, table);
}

// A finished plan, until another one is predicted to be faster.
class FastestPlan {
 public:
  FastestPlan(Plan plan, PredictionTable& table) : plan_(std::move(plan)), table_(&table) {}

  // Takes `other`, if there is one, where it is predicted to take less time by more than the share `gain` of it; a
  // negative one is what it may take longer. Whether it did.
  bool challenge(std::optional<Plan> other, double gain = 0) {
    if (!other) return false;
    const double most = cycles() * (1 - gain);
    const bool faster = cycles_up_to(most, *other, *table_) < most;
    if (faster) plan_ = *std::move(other);
    return faster;
  }

  const Plan& plan() const { return plan_; }
  double cycles() const { return cycles_of(plan_, *table_); }
  Plan take() { return std::move(plan_); }

 private:
  Plan plan_;
  PredictionTable* table_;
};

// Nothing where memory has no room for it.
std::optional<Plan> trial_plan(const Graph& graph, const KnownPlans& known, const PlanOptions& options) {
  return if_room([&] { return make_plan(graph, known.programs.hardware(), options, {.verify = false}); });
}

// `plan` with the tilings that are predicted to be fastest for each operator by itself.
Plan tiled_alone(const Graph& graph, Plan plan, KnownPlans& known) {
  const auto chosen = with_predicted_tilings(plan, known);
  auto tiled = chosen ? trial_plan(graph, known, *chosen) : std::nullopt;
  return tiled ? *std::move(tiled) : std::move(plan);
}

// The same where the network is predicted to be faster with them.
FastestPlan tiled(const Graph& graph, Plan plan, KnownPlans& known) {
  FastestPlan fastest(std::move(plan), known.programs);
  if (const auto chosen = with_predicted_tilings(fastest.plan(), known))
    fastest.challenge(trial_plan(graph, known, *chosen));
  return fastest;
}

// With all of the choices, or else with the half of them that gains most by itself: what is faster by itself need not
// be so between others. Where they promise less than a prediction of the network is worth, with none. Whether it
// gained; fewer than half of them seldom do, and each try predicts the whole network (docs/labels.md).
bool try_all_or_half(FastestPlan& fastest, const Graph& graph, const std::vector<FasterChoice>& choices,
                     KnownPlans& known) {
  if (choices.empty()) return false;
  const double least = fastest.cycles() * constants().least_promise;
  for (const std::size_t most : {choices.size(), choices.size() / 2}) {
    if (most == 0 || promised(choices, most) < least) break;
    if (fastest.challenge(trial_plan(graph, known, with_fastest(fastest.plan(), choices, most)))) return true;
  }
  return false;
}

// Then with other splits of single products, with splits that know their neighbours, with sums cut into more parts, and
// with images as their shapes say, likewise. A mode says how operators are cut: there only the number of cores is left.
// False where operators by themselves promised something and the network gains nothing.
bool improve(FastestPlan& fastest, const Graph& graph, const PlanOptions& asked, KnownPlans& known) {
  const bool free = asked.parallel == Parallel::kFree;
  const auto splits = predicted_splits(fastest.plan(), asked, known.programs);
  bool gained = try_all_or_half(fastest, graph, splits, known);
  if (free)
    for (const PlanOptions& near : neighbour_splits(fastest.plan(), asked, known.programs))
      gained |= fastest.challenge(trial_plan(graph, known, near), constants().neighbour_gain);
  const auto sums = predicted_sums(fastest.plan(), asked, known.programs);
  gained |= try_all_or_half(fastest, graph, sums, known);
  if (const auto row_major = with_row_major_images(fastest.plan()))
    fastest.challenge(trial_plan(graph, known, *row_major), -constants().network_gain);
  return gained || (splits.empty() && sums.empty());
}

// Each of `ways` that may still become the fastest, the one that is now first: where none of its operators' promises
// comes true in the network, none does in the others, of mostly the same operators.
void improve_in_turn(std::vector<FastestPlan>& ways, const Graph& graph, const PlanOptions& asked, KnownPlans& known) {
  std::vector<FastestPlan*> turn;
  for (FastestPlan& way : ways) turn.push_back(&way);
  std::ranges::stable_sort(turn, {}, [](const FastestPlan* way) { return way->cycles(); });
  const double most = turn.front()->cycles() * constants().window_patience;
  for (FastestPlan* way : turn)
    if (way->cycles() > most || !improve(*way, graph, asked, known)) return;
}

// `plan`, or the same with groups apart, each improved where it may still become the faster.
FastestPlan best_grouped(const Graph& graph, Plan plan, const PlanOptions& asked, KnownPlans& known) {
  std::vector<Plan> apart;
  for (const PlanOptions& options : with_groups_apart(plan))
    if (auto other = trial_plan(graph, known, options)) apart.push_back(*std::move(other));
  std::vector<FastestPlan> ways{tiled(graph, std::move(plan), known)};
  if (apart.empty()) {  // nothing to compare it with: it need not be predicted
    improve(ways[0], graph, asked, known);
    return std::move(ways[0]);
  }
  for (Plan& other : apart) ways.push_back(tiled(graph, std::move(other), known));
  improve_in_turn(ways, graph, asked, known);
  for (std::size_t other = 1; other < ways.size(); ++other) ways[0].challenge(ways[other].take());
  return std::move(ways[0]);
}

// `plan`, or the same with no or more siblings merged, each improved where it may still become the faster; merged is
// what has to be faster.
FastestPlan best_merged(const Graph& graph, Plan plan, const PlanOptions& asked, KnownPlans& known) {
  const auto none = with_siblings_apart(plan), all = with_all_siblings_merged(plan);
  if (!none && !all) return best_grouped(graph, std::move(plan), asked, known);
  std::vector<Plan> plans;  // the least merged first
  const auto add = [&](std::optional<Plan> of) {
    if (of) plans.push_back(*std::move(of));
  };
  if (none) add(trial_plan(graph, known, *none));
  add(std::move(plan));
  if (all) add(trial_plan(graph, known, *all));
  std::vector<double> alone;
  for (const Plan& of : plans) alone.push_back(cycles_of(tiled_alone(graph, of, known), known.programs));
  const double most = *std::ranges::min_element(alone) * constants().window_patience;
  std::optional<FastestPlan> fastest;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (alone[i] > most) continue;
    FastestPlan improved = best_grouped(graph, std::move(plans[i]), asked, known);
    if (fastest)
      fastest->challenge(improved.take());
    else
      fastest = std::move(improved);
  }
  return *std::move(fastest);
}

// With operators of an element operand taken into the product before them everywhere, or nowhere: formulas compare one
// split of the product, but it is cut otherwise where it has one to take.
void try_element_operands(FastestPlan& fastest, const Graph& graph, KnownPlans& known) {
  for (const bool taken : {true, false}) {
    const auto options = with_element_operands(graph, fastest.plan(), taken);
    if (!options) continue;
    auto other = trial_plan(graph, known, *options);
    if (!other) continue;
    if (const auto splits = predicted_splits(*other, *options, known.programs); !splits.empty())
      other = trial_plan(graph, known, with_fastest(*other, splits, splits.size()));
    if (fastest.challenge(std::move(other), constants().network_gain))
      fastest.challenge(tiled_alone(graph, fastest.plan(), known));
  }
}

// Whether pieces next to the cores that use them could be worse placed than in turn: of one operator. What one hands to
// the next is near with splits that know their neighbours, and far in turn.
bool placement_is_open(const Plan& plan) {
  return plan.options.placement == Placement::kAuto && plan.order.size() == 1 && plan.hardware.dram.regions > 1;
}

std::optional<Plan> placed_in_turn(const Graph& graph, const KnownPlans& known, PlanOptions options) {
  options.placement = Placement::kRoundRobin;
  const PredictionTable& table = known.programs;
  return if_room([&] { return plan_network(graph, table.hardware(), options, {}, table.shared()); });
}

// The options of `plan` with parts in proportion to the speed of cores, where these differ.
std::optional<PlanOptions> with_parts_by_speed(const Plan& plan) {
  if (plan.hardware.kinds.empty() || plan.options.parallel != Parallel::kFree) return {};
  PlanOptions options = plan.options;
  options.by_speed = true;
  return options;
}

// The options of `plan` with the parts of all products on cores so that those of a cluster read alike, where that saves
// anything. What `asked` chooses stays.
std::optional<PlanOptions> with_panels(const Plan& plan, const PlanOptions& asked) {
  PlanOptions options = plan.options;
  bool any = false;
  for (const TilingTask& task : tiling_tasks(plan))
    for (const OperatorId use : task.uses) {
      auto panels = asked.choice_of(use) ? std::nullopt : in_panels(plan, use, plan.operators[use].split);
      if (!panels) continue;
      OperatorChoice choice = as_planned(plan.operators[use], use);
      choice.split = *std::move(panels);
      options.choose(std::move(choice));
      any = true;
    }
  return any ? std::optional(std::move(options)) : std::nullopt;
}

// Loads of later operators go in front of those that wait where cores wait for each other. What a block takes that
// stands for others must not depend on how much of the next one is loaded in it ...
PlanOptions with_early_loads(PlanOptions options, const Graph& graph, const Hardware& hardware) {
  if (options.early_loads == EarlyLoads::kAuto)
    options.early_loads = hardware.cores() > 1 && !graph.repeats ? EarlyLoads::kAlways : EarlyLoads::kNone;
  return options;
}

// ... but where a network is not predicted to be faster so by more than predictions miss.
void try_loads_in_order(FastestPlan& fastest, const Graph& graph, KnownPlans& known) {
  PlanOptions options = fastest.plan().options;
  if (options.early_loads != EarlyLoads::kAlways) return;
  options.early_loads = EarlyLoads::kNone;
  fastest.challenge(trial_plan(graph, known, options), -constants().neighbour_gain);
}

// All that is predicted about a network, one choice after the other.
FastestPlan searched(const Graph& graph, Plan plain, const PlanOptions& options, KnownPlans& known) {
  const bool free = options.parallel == Parallel::kFree;
  FastestPlan fastest(std::move(plain), known.programs);
  if (const auto by_speed = with_parts_by_speed(fastest.plan())) fastest.challenge(trial_plan(graph, known, *by_speed));
  if (options.groups || !free) {
    if (free) fastest = tiled(graph, fastest.take(), known);
    improve(fastest, graph, options, known);
  } else {
    fastest = best_merged(graph, fastest.take(), options, known);
    if (options.merge) try_element_operands(fastest, graph, known);
  }
  if (const auto tilings = free ? tilings_on_fewer_cores(fastest.plan(), options, known.programs) : std::nullopt)
    fastest.challenge(trial_plan(graph, known, *tilings));
  if (const auto panels = with_panels(fastest.plan(), options))
    fastest.challenge(trial_plan(graph, known, *panels), constants().neighbour_gain);
  try_all_or_half(fastest, graph, predicted_hand_ons(fastest.plan(), options, known.programs), known);
  if (placement_is_open(fastest.plan()))  // where it saves no more than a few latencies, pieces stay near
    fastest.challenge(placed_in_turn(graph, known, options), constants().store_gain_cycles / fastest.cycles());
  return fastest;
}

// Where DRAM is short: with more of it kept from tensors, by make_plan()'s next two steps. There are more parts then,
// and more room to cut their sums.
void try_more_program_memory(FastestPlan& fastest, const Graph& graph, PlanOptions options, KnownPlans& known) {
  const Bytes least = fastest.plan().options.program_memory;
  options.decompose_spare = fastest.plan().options.decompose_spare;
  for (const Bytes kept : {least * 3 / 2, least * 9 / 4}) {
    if (least == 0 || !options.choices.empty()) return;
    options.program_memory = kept;
    if (auto plain = trial_plan(graph, known, options))
      fastest.challenge(searched(graph, *std::move(plain), options, known).take());
  }
}

// Where what is between operators has no room: walked by rows, these read their weights again for every block, in parts
// for every part.
void try_groups_for_parts(FastestPlan& fastest, const Graph& graph, const PlanOptions& options, KnownPlans& known) {
  for (GroupChoice& groups : groups_for_parts(graph, known.programs.hardware(), options)) {
    PlanOptions by_rows = options;
    by_rows.groups = std::move(groups);
    if (auto plain = trial_plan(graph, known, by_rows))
      fastest.challenge(searched(graph, *std::move(plain), by_rows, known).take());
  }
}

// Cores that do less may be worth less than what a plan for all cores gives up for them: it counts on the smallest
// buffers, and on cluster memory only where all clusters have some.
bool first_kind_may_do_alone(const Hardware& hardware, const PlanOptions& options) {
  if (hardware.kinds.empty() || options.cores > 0) return false;
  return std::ranges::all_of(hardware.kinds, [&](const ClusterKind& kind) {
    return kind.core.matmul.cells() <= hardware.kinds.front().core.matmul.cells();
  });
}

// What its clusters hold counts, and whatever else is predicted to be faster on all cores than on theirs is cut over
// all of them.
std::optional<Plan> planned_for_first_kind(const Graph& graph, const KnownPlans& known, PlanOptions options) {
  const Hardware& chip = known.programs.hardware();
  options.cores = chip.kinds.front().clusters * chip.cores_per_cluster;
  const Hardware hardware = chip.counting_on(0);
  KnownPlans of_kind(hardware, known.programs.shared());
  auto plain = trial_plan(graph, of_kind, options);
  return plain ? std::optional(searched(graph, *std::move(plain), options, of_kind).take()) : std::nullopt;
}

// All is chosen as if nobody had said an order: what `schedule` measured in one is what runs in it. It names operators
// as they are without those that siblings or what they read make one of.
Plan planned_in_order(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
                      const PassOptions& pass_options, Predictions* shared) {
  PlanOptions any = options;
  any.order.clear();
  any.merge = false;
  PlanOptions plain = options;
  const PlanOptions roomy = make_plan(graph, hardware, any, {.verify = false}).options;
  plain.program_memory = roomy.program_memory, plain.decompose_spare = roomy.decompose_spare;
  make_plan(graph, hardware, plain, {.verify = false});  // what the user has to be told comes before any search
  Plan chosen = plan_network(graph, hardware, any, {.verify = false}, shared);
  chosen.options.order = options.order;
  chosen.options.order_source = options.order_source;
  return make_plan(graph, chosen.hardware, chosen.options, pass_options);
}

}  // namespace

Plan plan_network(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
                  const PassOptions& pass_options, Predictions* shared) {
  if (!may_choose(hardware, options) || ends_before_tilings(pass_options))
    return make_plan(graph, hardware, options, pass_options);
  if (!options.order.empty()) return planned_in_order(graph, hardware, options, pass_options, shared);
  const PlanOptions early = with_early_loads(options, graph, hardware);
  Plan plain = make_plan(graph, hardware, early);  // what the user has to be told comes before any search
  KnownPlans known(hardware, shared);
  FastestPlan fastest = searched(graph, std::move(plain), early, known);
  try_more_program_memory(fastest, graph, early, known);
  try_groups_for_parts(fastest, graph, early, known);
  if (options.early_loads == EarlyLoads::kAuto) try_loads_in_order(fastest, graph, known);
  if (first_kind_may_do_alone(hardware, options)) fastest.challenge(planned_for_first_kind(graph, known, early));
  const Plan chosen = fastest.take();
  return make_plan(graph, chosen.hardware, chosen.options, pass_options);  // verified
}

Measurement measure_network(Session& session, const Graph& graph, const PlanOptions& options) {
  return measure(session, plan_network(graph, session.hardware(), options));
}

}  // namespace tilewright
