#include "cli/tilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "planner/constants/constants.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/ir/element_types.h"
#include "planner/ir/group.h"
#include "planner/passes/pass.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/database/hit_prediction.h"
#include "planner/search/tiling/measured_plan.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::string source_of(const Hit& hit) {
  return fmt::format("database, {}: {}; predicted {:.0f} cycles{}", name_of(hit.match), to_string(hit.record->shape),
                     hit.expected(Objective::kCycles), hit.linear ? "" : " outside the linear region");
}

double cycles_of(const Plan& plan) { return queue_model_cycles(plan.hardware, plan.program); }

// What the planner's own way to run the operator, which no group computes, is predicted to take by itself, by the model
// that predicted the hit.
double planned_cycles(const Plan& plan, OperatorId id, const TilingTransfer& transfer, const OperatorShape& shape) {
  const TilingOperator alone = tiling_operator(shape);
  if (!is_predictable(plan.hardware, alone)) return transfer.cycles(point_of(plan, id));
  const OperatorPlan& planned = plan.operators[id];
  PlanOptions options = options_of(alone, plan.hardware, {});
  options.choices = {{alone.op, planned.split, planned.tilings, planned.labels.output.reduction}};
  return cycles_of(make_plan(alone.graph, plan.hardware, options, {.verify = false}));
}

// A record of the very shape has no error, but what it is compared with has.
bool gains(const TilingUse& use) {
  const bool same = use.hit->match == MatchKind::kInitialSame;
  const double most =
      same ? use.planned_cycles * (1 + constants().neighbour_gain) : use.planned_cycles / (1 + use.hit->error_bound);
  return use.hit->expected(Objective::kCycles) < most;
}

bool is_wanted(const TilingUse& use, TilingReach reach) {
  if (!use.hit) return false;
  switch (reach) {
    case TilingReach::kGain:
      return gains(use);
    case TilingReach::kLinear:
      return use.hit->linear;
    case TilingReach::kAll:
      return true;
  }
  SIM_CHECK(false, "no reach {}", static_cast<int>(reach));
}

// By shape, record and tiling: equal operators of a network are predicted once.
using KnownHits = std::map<std::array<std::string, 3>, Hit>;

Hit predicted_once(KnownHits& known, Hit hit, const OperatorShape& shape, const Hardware& hardware) {
  const std::array key{to_string(shape), to_string(hit.record->shape), to_string(hit.record->point)};
  const auto [at, fresh] = known.try_emplace(key, hit);
  if (fresh) at->second = queue_predicted(std::move(hit), shape, hardware);
  return at->second;
}

// `plan`: with the planner's own tilings; `typed`: its graph with types, and no more. Records know the operator with
// what is fused into it, or by itself.
TilingUse look_up(const Plan& plan, const Plan& typed, OperatorId id, const TilingIndex& index, TilingReach reach,
                  KnownHits& known) {
  TilingUse use{.op = id};
  const auto fused = shape_of(plan.graph, id, operand_type(plan, plan.graph.op(id)));
  if (!fused) return use;
  std::vector<OperatorShape> shapes{*fused};
  if (!fused->epilogues.empty()) shapes.push_back(without_epilogues(*fused));
  for (const OperatorShape& shape : shapes) {
    const TilingTransfer transfer(typed, id, shape);
    use.hit = index.lookup(shape, {}, &transfer);
    use.shape = to_string(shape);
    if (!use.hit) continue;
    use.hit = predicted_once(known, *std::move(use.hit), shape, plan.hardware);
    if (group_of(plan, id) == nullptr) use.planned_cycles = planned_cycles(plan, id, transfer, shape);
    break;
  }
  use.used = is_wanted(use, reach);
  return use;
}

OperatorChoice choice_for(const Plan& typed, const TilingUse& use) {
  OperatorChoice choice = choice_of(use.hit->record->point, typed, use.op);
  for (Tiling& tiling : choice.tilings) tiling.reason = source_of(*use.hit);
  return choice;
}

// Not of operators that a group computes, which have no tiling of their own.
bool is_same(const TilingUse& use) {
  return use.hit && use.hit->match == MatchKind::kInitialSame && use.planned_cycles > 0;
}
bool is_foreign(const TilingUse& use) { return use.used && use.hit->match != MatchKind::kInitialSame; }
bool is_used(const TilingUse& use) { return use.used; }

// A network planned by the planner alone, and again with records.
class NetworkWithRecords {
 public:
  // All outlive it.
  NetworkWithRecords(const Graph& graph, const PlanOptions& asked, const Plan& typed, const Plan& own)
      : graph_(graph), asked_(asked), typed_(typed), own_(own) {}

  // The records that are used beside what the planner chose for the other operators.
  TiledPlan with(std::vector<TilingUse> uses) const { return planned(std::move(uses), own_.options); }

  // What is faster by itself need not be so between others: the networks with records that are predicted to be faster,
  // or no slower than predictions miss each other by, are measured beside that of the planner, and the fastest is
  // taken.
  TiledPlan gaining(const std::vector<TilingUse>& uses, int jobs) const {
    std::vector<TiledPlan> networks = candidates(uses);
    if (!networks.empty()) {
      const double most = cycles_of(own_) * (1 + constants().neighbour_gain);
      std::erase_if(networks, [&](const TiledPlan& network) { return cycles_of(network.plan) >= most; });
    }
    networks.insert(networks.begin(), with(chosen(uses, [](const TilingUse&) { return false; })));
    if (networks.size() == 1) return std::move(networks.front());
    std::vector<const Plan*> plans;
    for (const TiledPlan& network : networks) plans.push_back(&network.plan);
    return std::move(networks[fastest_measured(plans, jobs)]);
  }

 private:
  template <typename Wanted>
  static std::vector<TilingUse> chosen(std::vector<TilingUse> uses, Wanted wanted) {
    for (TilingUse& use : uses) use.used = wanted(use);
    return uses;
  }

  TiledPlan planned(std::vector<TilingUse> uses, PlanOptions options) const {
    for (const TilingUse& use : uses)
      if (use.used) options.choose(choice_for(typed_, use));
    Plan plan = std::ranges::any_of(uses, is_used) ? make_plan(graph_, own_.hardware, options) : own_;
    return {std::move(plan), std::move(uses)};
  }

  // With the records that gain by themselves; with those of the very shapes among them, which were measured; and with
  // all of the very shapes without the planner's choices, as a search of this network would have it.
  std::vector<TiledPlan> candidates(const std::vector<TilingUse>& uses) const {
    std::vector<TiledPlan> networks;
    const auto same = chosen(uses, [](const TilingUse& use) { return use.used && is_same(use); });
    const auto all = chosen(uses, is_same);
    if (std::ranges::any_of(uses, is_foreign)) networks.push_back(with(uses));
    if (std::ranges::any_of(same, is_used)) networks.push_back(with(same));
    if (std::ranges::any_of(all, is_used)) networks.push_back(planned(all, without_choices(asked_, own_)));
    return networks;
  }

  const Graph& graph_;
  const PlanOptions& asked_;
  const Plan& typed_;
  const Plan& own_;
};

std::string row(const Plan& plan, const TilingUse& use) {
  const std::string name = plan.graph.op(use.op).name;
  if (!use.hit) return fmt::format("  {:<30.30} no record\n", name);
  const std::string loss =
      use.searched == 0 ? ""
                        : fmt::format("{:>12} {:>12} {:>8.2f} %", use.reused, use.searched,
                                      100 * (static_cast<double>(use.reused) / static_cast<double>(use.searched) - 1));
  const std::string planned = use.planned_cycles > 0 ? fmt::format("{:.0f}", use.planned_cycles) : "in a group";
  return fmt::format("  {:<30.30} {:<22} {:<44} {:<8} {:<8} {:>12.0f} {:>3.0f} % {:>12} {}\n", name,
                     name_of(use.hit->match), to_string(use.hit->record->shape), use.hit->linear ? "linear" : "outside",
                     use.used ? "used" : "not used", use.hit->expected(Objective::kCycles), 100 * use.hit->error_bound,
                     planned, loss);
}

std::string use_text(const std::vector<TilingUse>& uses) {
  const auto count = [&](auto&& what) { return std::count_if(uses.begin(), uses.end(), what); };
  const auto hits = count([](const TilingUse& use) { return use.hit.has_value(); });
  const auto used = count([](const TilingUse& use) { return use.used; });
  const auto outside = count([](const TilingUse& use) { return use.used && !use.hit->linear; });
  if (hits == 0) return "";
  std::string text = fmt::format("  {} used, {} left to the planner", used, hits - used);
  if (outside > 0) text += fmt::format("; {} used outside the linear region of their record", outside);
  return text + "\n";
}

}  // namespace

TilingReach parse_tiling_reach(const std::string& text, const std::string& where) {
  if (text == "gain") return TilingReach::kGain;
  if (text == "linear") return TilingReach::kLinear;
  if (text == "all") return TilingReach::kAll;
  throw UserError(where, fmt::format("got '{}', expected gain|linear|all", text));
}

TiledPlan with_tilings(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
                       const TilingIndex& index, TilingReach reach, int jobs) {
  const Plan own = plan_network(graph, hardware, options);
  const Plan typed = typed_plan(own.graph, hardware, options);
  const NetworkWithRecords network(graph, options, typed, own);
  std::vector<TilingUse> uses;
  KnownHits known;
  for (const OperatorId id : own.order)
    if (is_contraction(own.graph.op(id).kind)) uses.push_back(look_up(own, typed, id, index, reach, known));
  if (reach == TilingReach::kGain) return network.gaining(uses, jobs);
  return network.with(std::move(uses));
}

void measure_losses(TiledPlan& tiled, Objective objective, std::int64_t budget, int jobs) {
  const std::vector<TilingTask> tasks = tiling_tasks(tiled.plan);
  std::vector<TilingOperator> operators;
  for (const TilingTask& task : tasks) operators.push_back(task.op);
  TilingMeasurer measurer(tiled.plan.hardware, jobs, std::move(operators));
  for (const TilingTask& task : tasks) {
    const auto uses = [&](TilingUse& use) { return std::count(task.uses.begin(), task.uses.end(), use.op) > 0; };
    const auto first = std::find_if(tiled.uses.begin(), tiled.uses.end(), uses);
    if (first == tiled.uses.end() || !first->used) continue;
    const PointCost reused = measure_all(measurer.of(task.op), {{.point = first->hit->record->point}}).front();
    if (!reused.cost) continue;
    const SearchResult found =
        search_tiling(measurer.of(task.op), tiled.plan.hardware, task.op, {.objective = objective, .budget = budget});
    for (TilingUse& use : tiled.uses)
      if (uses(use)) use.reused = reused.cost->cycles, use.searched = found.best.cost.cycles;
  }
}

std::string tilings_text(const TiledPlan& tiled) {
  std::array<int, kMatchKindCount> hits{};
  int misses = 0;
  Cycles reused = 0, searched = 0;
  std::string rows;
  for (const TilingUse& use : tiled.uses) {
    ++(use.hit ? hits[static_cast<std::size_t>(use.hit->match)] : misses);
    reused += use.reused, searched += use.searched;
    rows += row(tiled.plan, use);
  }
  std::string text = "\nTilings from the database:";
  for (int i = 0; i < kMatchKindCount; ++i)
    text += fmt::format(" {} {},", name_of(static_cast<MatchKind>(i)), hits[static_cast<std::size_t>(i)]);
  text += fmt::format(" no record {}\n{}  {:<30} {:<22} {:<44} {:<8} {:<8} {:>12} {:>5} {:>12} {}\n", misses,
                      use_text(tiled.uses), "operator", "match", "record", "region", "", "predicted", "+-", "planner's",
                      searched == 0 ? "" : "      reused     searched     loss");
  text += rows;
  if (searched > 0)
    text += fmt::format("  Operators with a record, each alone: {} cycles reused, {} searched: {:.2f} % lost\n", reused,
                        searched, 100 * (static_cast<double>(reused) / static_cast<double>(searched) - 1));
  return text;
}

}  // namespace tilewright
