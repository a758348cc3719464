#include "planner/search/tiling/neighbour_splits.h"

#include <limits>

#include "planner/constants/constants.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/split_candidates.h"
#include "planner/search/tiling/tiling_network.h"
#include "planner/search/tiling/tree_choice.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

bool splits_can_matter(const Plan& plan) {
  const Hardware& hardware = plan.hardware;
  return hardware.dram.regions > 1 && hardware.clusters > 1 && plan.cores() == hardware.cores() &&
         plan.options.placement != Placement::kRoundRobin && plan.order.size() > 1;
}

bool works(const Plan& plan, OperatorId id) {
  return !needs_no_instruction(plan, plan.graph.op(id)) && !plan.operators[id].split.items.empty();
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Nothing where a core has no room for its part, or where it takes more than `most` cycles.
std::optional<SplitOption> predicted_option(PredictionTable& table, const TilingOperator& op,
                                            const OperatorChoice& choice, double most) {
  PlanOptions options = options_of(op, table.hardware(), {});
  options.choices = {choice};
  try {
    const Plan plan = make_plan(op.graph, table.hardware(), options, {.verify = false});
    const double cycles = table.cycles_up_to(most, plan.program);
    if (cycles > most) return {};
    return SplitOption{choice.split, plan.operators[op.op].tilings, cycles, activation_traffic(plan, op.op).cycles()};
  } catch (const UserError&) {
    return {};
  }
}

class OptionFinder {
 public:
  OptionFinder(const Plan& plan, const PlanOptions& asked, PredictionTable& table)
      : plan_(plan), asked_(asked), table_(table) {}

  SplitOptions find() {
    for (const OperatorId id : plan_.order)
      if (works(plan_, id)) keep_own(id);
    for (const TilingTask& task : tiling_tasks(plan_)) add_products(task);
    for (const OperatorId id : plan_.order)
      if (may_change(id) && !is_contraction(plan_.graph.op(id).kind)) add_others(id);
    return std::move(options_);
  }

 private:
  void keep_own(OperatorId id) { options_[id].push_back({plan_.operators[id].split, plan_.operators[id].tilings}); }
  bool may_change(OperatorId id) const {
    return works(plan_, id) && group_of(plan_, id) == nullptr && asked_.choice_of(id) == nullptr &&
           plan_.operators[id].leader < 0;
  }

  void add_products(const TilingTask& task) {
    const OperatorId first = task.uses.front();
    if (!may_change(first) || !is_predictable(plan_.hardware, task.op)) return;
    const OperatorPlan& planned = plan_.operators[first];
    const auto own = predicted_option(
        table_, task.op, {task.op.op, planned.split, planned.tilings, planned.labels.output.reduction}, kNoLimit);
    if (!own) return;
    const double most = own->cycles * constants().split_patience;
    std::vector<SplitOption> found{*own};
    for (const Split& split : split_candidates(plan_, plan_.graph.op(first), planned.split))
      if (const auto other = predicted_option(table_, task.op, {task.op.op, split, {}}, most)) found.push_back(*other);
    for (const OperatorId use : task.uses)
      if (may_change(use)) options_[use] = found;
  }

  void add_others(OperatorId id) {
    for (Split& split : split_candidates(plan_, plan_.graph.op(id), plan_.operators[id].split))
      options_[id].push_back({std::move(split), {}});
  }

  const Plan& plan_;
  const PlanOptions& asked_;
  PredictionTable& table_;
  SplitOptions options_{plan_.operators.size()};
};

PlanOptions with_splits(const Plan& plan, const SplitOptions& options, const std::vector<std::size_t>& chosen) {
  PlanOptions result = plan.options;
  for (const OperatorId id : plan.order) {
    if (chosen[id] == 0) continue;
    const SplitOption& option = options[id][chosen[id]];
    result.choose({id, option.split, option.tilings});
  }
  return result;
}

}  // namespace

std::vector<PlanOptions> neighbour_splits(const Plan& plan, const PlanOptions& asked, PredictionTable& table) {
  if (!splits_can_matter(plan)) return {};
  const SplitOptions options = OptionFinder(plan, asked, table).find();
  std::vector<PlanOptions> results;
  std::vector<std::size_t> before;
  for (const double exposed : {1.0, constants().least_exposed}) {
    const TreeChoice choice = choose_in_trees(plan, options, exposed);
    if (choice.time > choice.time_before * (1 - constants().neighbour_gain) || choice.chosen == before) continue;
    results.push_back(with_splits(plan, options, choice.chosen));
    before = choice.chosen;
  }
  return results;
}

}  // namespace tilewright
