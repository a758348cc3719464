#include "planner/search/tiling/predicted_splits.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "planner/constants/constants.h"
#include "planner/estimate/part_time.h"
#include "planner/estimate/roofline.h"
#include "planner/ir/partials.h"
#include "planner/ir/reduction_ranges.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/cluster_panels.h"
#include "planner/search/tiling/hand_on_candidates.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"
#include "sim/machine/network/network_routes.h"

namespace tilewright {
namespace {

// Routers between each cluster and all channels of DRAM.
void add_distances(const NetworkSpec& network, int channels, std::vector<int>& distance) {
  const NetworkRoutes routes(network);
  for (int cluster = 0; cluster < std::ssize(distance); ++cluster)
    for (int channel = 0; channel < channels; ++channel)
      distance[cluster] +=
          routes.routers_passed(network.port_towards(cluster, channel), network.channel_terminal(channel));
}

// Of the clusters whose cores may all be used, the fastest first, of these those nearest to the channels of DRAM.
std::vector<int> clusters_by_rank(const Plan& plan) {
  const Hardware& hardware = plan.hardware;
  const NetworkSpec& network = hardware.network;
  std::vector<int> clusters(plan.cores() / hardware.cores_per_cluster), distance(hardware.clusters, 0);
  std::iota(clusters.begin(), clusters.end(), 0);
  if (network.topology != Topology::kSimple) add_distances(network, hardware.dram.channels, distance);
  const auto rank = [&](int cluster) {
    const MatmulSpec& spec = hardware.core_of(cluster * hardware.cores_per_cluster).matmul;
    return std::pair{-spec.macs_per_cycle(plan.options.type), distance[cluster]};
  };
  std::ranges::stable_sort(clusters, {}, rank);
  return clusters;
}

constexpr double kNotKnown = std::numeric_limits<double>::infinity();

struct Trial {
  OperatorChoice choice;
  double cycles = 0;
};

// That lie in DRAM.
Bytes partial_bytes(const OperatorPlan& op) {
  Bytes bytes = 0;
  for (const PartialPlan& partial : op.partials)
    if (partial.in_dram()) bytes += partial.bytes;
  return bytes;
}

// The ways to run one operator, each predicted by itself.
class SplitTrials {
 public:
  // `near`: clusters_by_rank() of the plan. `room`: bytes of DRAM for partial results. All outlive the trials.
  SplitTrials(const Plan& plan, const std::vector<int>& near, Bytes room, const TilingTask& task,
              PredictionTable& table)
      : plan_(plan), near_(near), room_(room), task_(task), op_(task.op), table_(table) {}

  // What is faster than the operator in the network's plan by enough; nothing: nothing is.
  std::optional<FasterChoice> faster_split() {
    if (!begin_as_planned()) return {};
    own_formula_ = formula_cycles(own_options());
    try_places(Trial(best_));
    try_panels();
    try_reductions();
    if (plan_.options.parallel == Parallel::kFree) try_cores(Parallel::kModel, plan_.cores());
    try_parts_by_speed();
    try_cores(plan_.options.parallel, plan_.cores() / 2);
    try_panels();
    try_rows_apart();
    return faster();
  }

  std::optional<FasterChoice> faster_sums() {
    if (!begin_as_planned()) return {};
    try_sums();
    try_panels();
    return faster();
  }

  // What cores read alike, from core to core.
  std::optional<FasterChoice> faster_hand_on() {
    if (!begin_as_planned()) return {};
    const Tiling like = best_.choice.tilings.front();
    for (const OperatorChoice& choice :
         hand_on_candidates(op_, plan_.hardware, options(), like, plan_.cores(), best_.cycles))
      if (const auto trial = predict(options_with(choice))) take(*trial);
    return faster();
  }

 private:
  bool begin_as_planned() {
    const auto own = predict(own_options());
    if (own) best_ = *own, own_cycles_ = own->cycles;
    return own.has_value();
  }
  std::optional<FasterChoice> faster() const {
    if (best_.cycles >= own_cycles_ * (1 - constants().split_gain)) return {};
    return FasterChoice{task_, best_.choice, (own_cycles_ - best_.cycles) * static_cast<double>(task_.uses.size())};
  }

  PlanOptions own_options() const { return options_with(as_planned(plan_.operators[task_.uses.front()], op_.op)); }
  PlanOptions options() const { return options_of(op_, plan_.hardware, {}); }
  PlanOptions options_with(OperatorChoice choice) const {
    PlanOptions with = options();
    with.choices = {std::move(choice)};
    return with;
  }

  // Nothing where a core has no room for its part, or memory none for the whole or for partial results.
  std::optional<Trial> predict(const PlanOptions& options) const {
    try {
      const Plan plan = make_plan(op_.graph, plan_.hardware, options, {.verify = false, .again = false});
      if (partial_bytes(plan.operators[op_.op]) > room_) return {};
      return Trial{as_planned(plan.operators[op_.op], op_.op),
                   table_.cycles_below(best_.cycles, best_.cycles * constants().split_patience, plan.program)};
    } catch (const UserError&) {
      return {};
    }
  }

  // `cores` of them, then half of these ... while their arrays could be done in time. The rule of a mode cuts other
  // dimensions into other numbers of pieces on other cores, so that fewer may be worse and still fewer better; where
  // grids are chosen by time, it ends once it gets worse, wherever the cores are.
  void try_cores(Parallel mode, int cores) {
    for (; cores >= 1 && least_cycles(cores) <= best_.cycles * constants().split_patience; cores /= 2) {
      PlanOptions with = options();
      with.parallel = mode, with.cores = cores;
      const auto trial = promises(with) ? predict(with) : std::nullopt;
      if (!trial) continue;
      const double best = best_.cycles;
      take(*trial);
      try_places(*trial);
      const bool near = trial->cycles <= best * constants().split_patience || best_.cycles < best;
      if (near) try_reductions(*trial);
      if (!near && mode == Parallel::kFree) return;
    }
  }

  // Not so much slower by formulas that no prediction could make up for it. On a large chip sums in as many parts as it
  // has cores are programs that fill the memory.
  bool promises(const PlanOptions& with) const {
    return formula_cycles(with) <= own_formula_ * constants().formula_patience;
  }

  // A bound. No program is made to find that it takes longer.
  double least_cycles(int cores) const {
    if (!plan_.hardware.kinds.empty()) return 0;
    return roofline_of(plan_, task_.uses.front()).compute_cycles * plan_.hardware.cores() / cores;
  }

  // On all cores, larger parts for faster ones.
  void try_parts_by_speed() {
    if (plan_.hardware.kinds.empty() || plan_.options.parallel != Parallel::kFree) return;
    PlanOptions with = options();
    with.by_speed = true, with.cores = plan_.hardware.cores();
    if (const auto trial = predict(with)) take(*trial);
  }

  // The sum in as many parts as formulas would not have it, where they do not find that much slower. Where memory has
  // no room for what every part hands on, half of them do in a tree.
  void try_sums() {
    double least = kNotKnown;
    for (int sums = 1; sums <= plan_.cores(); sums *= 2) {
      const PlanOptions with = options_with({.op = op_.op, .sums = sums});
      const double formula = formula_cycles(with);
      least = std::min(least, formula);
      if (formula > least * constants().split_patience) continue;
      auto trial = predict(with);
      if (!trial && sums > 1)
        trial = predict(options_with({.op = op_.op, .reduction = Reduction::kTree, .sums = sums}));
      if (!trial) continue;
      take(*trial);
      if (sums > 1 && trial->cycles <= best_.cycles * constants().split_patience) try_reductions(*trial);
    }
  }

  // Of the slowest part and of adding up the partial results; no limit where the operator cannot be cut so.
  double formula_cycles(const PlanOptions& options) const {
    try {
      const Plan plan = make_plan(op_.graph, plan_.hardware, options, {.stop_after = "split", .verify = false});
      const OperatorPlan& planned = plan.operators[op_.op];
      const auto sums = std::max<std::int64_t>(1, std::ssize(reduction_ranges(plan, op_.op)));
      return split_cycles(plan, plan.graph.op(op_.op), planned.split, sums, planned.labels.output.reduction);
    } catch (const UserError&) {
      return kNotKnown;
    }
  }

  void take(const Trial& trial, double gain = 0) {
    if (trial.cycles < best_.cycles * (1 - gain)) best_ = trial;
  }

  // The same parts on cores of the fastest clusters, nearest to memory: of as few as have one for each part, of twice
  // as many
  // ..., so that more ports and links carry what they load.
  void try_places(const Trial& of) {
    if (plan_.options.parallel == Parallel::kHybrid) return;  // which says what the cores of a cluster share
    const int parts = static_cast<int>(of.choice.split.items.size());
    SIM_CHECK(parts > 0, "'{}' has no parts", op_.graph.op(op_.op).name);
    const int most = std::min<int>(parts, std::ssize(near_));
    for (int clusters = ceil_div(parts, plan_.hardware.cores_per_cluster); clusters <= most; clusters *= 2) {
      const OperatorChoice choice = placed(of.choice, clusters);
      if (choice.split.items == of.choice.split.items) continue;
      if (const auto trial = predict(options_with(choice))) take(*trial, constants().split_gain);
    }
  }

  // The same parts on other cores, so that those of a cluster read more alike.
  void try_panels() {
    auto panels = in_panels(plan_, task_.uses.front(), best_.choice.split);
    if (!panels) return;
    OperatorChoice choice = best_.choice;
    choice.split = *std::move(panels);
    if (const auto trial = predict(options_with(choice))) take(*trial, constants().split_gain);
  }

  OperatorChoice placed(OperatorChoice choice, int clusters) const {
    std::vector<WorkItem>& items = choice.split.items;
    std::vector<int> used(near_.size(), 0);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t turn = i * clusters / items.size();
      items[i].core = near_[turn] * plan_.hardware.cores_per_cluster + used[turn]++;
    }
    return choice;
  }

  // What reads its rows in step from one memory after the other might do better from all at a time.
  void try_rows_apart() {
    if (plan_.hardware.dram.regions == 1) return;
    OperatorChoice choice = best_.choice;
    for (Tiling& tiling : choice.tilings) tiling.rows_apart = true;
    if (const auto trial = predict(options_with(choice))) take(*trial, constants().split_gain);
  }

  void try_reductions() { try_reductions(Trial(best_)); }
  void try_reductions(const Trial& of) {
    if (!of.choice.reduction) return;
    for (int i = 0; i < kReductionCount; ++i) {
      OperatorChoice choice = of.choice;
      choice.reduction = static_cast<Reduction>(i);
      if (choice.reduction == of.choice.reduction) continue;
      if (choice.reduction == Reduction::kNetwork && !network_adds(plan_.hardware, {StoreLevel::kCluster})) continue;
      const auto trial = predict(options_with(choice));
      if (trial) take(*trial, constants().split_gain);
    }
  }

  const Plan& plan_;
  const std::vector<int>& near_;  // clusters
  const Bytes room_;
  const TilingTask& task_;
  const TilingOperator& op_;
  PredictionTable& table_;
  Trial best_{{}, kNotKnown};
  double own_cycles_ = kNotKnown, own_formula_ = kNotKnown;  // as planned: predicted, and by formulas
};

using Faster = std::optional<FasterChoice> (SplitTrials::*)();

// What `faster` finds of every task's trials.
std::vector<FasterChoice> all_faster(const Plan& plan, const PlanOptions& asked, PredictionTable& table,
                                     Faster faster) {
  std::vector<FasterChoice> found;
  const std::vector<int> near = clusters_by_rank(plan);
  const Bytes room = free_memory(plan);
  for (const TilingTask& task : tiling_tasks(plan)) {
    if (is_chosen(asked, task) || !is_predictable(plan.hardware, task.op)) continue;
    SplitTrials trials(plan, near, room, task, table);
    if (auto choice = (trials.*faster)()) found.push_back(*std::move(choice));
  }
  return found;
}

// The `most` that gain most, in this order.
std::vector<const FasterChoice*> fastest_of(const std::vector<FasterChoice>& choices, std::size_t most) {
  std::vector<const FasterChoice*> fastest;
  for (const FasterChoice& choice : choices) fastest.push_back(&choice);
  std::ranges::stable_sort(fastest, std::greater{}, &FasterChoice::gain);
  fastest.resize(std::min(fastest.size(), most));
  return fastest;
}

}  // namespace

std::vector<FasterChoice> predicted_splits(const Plan& plan, const PlanOptions& asked, PredictionTable& table) {
  return all_faster(plan, asked, table, &SplitTrials::faster_split);
}

std::vector<FasterChoice> predicted_sums(const Plan& plan, const PlanOptions& asked, PredictionTable& table) {
  if (plan.options.parallel != Parallel::kFree) return {};
  return all_faster(plan, asked, table, &SplitTrials::faster_sums);
}

std::vector<FasterChoice> predicted_hand_ons(const Plan& plan, const PlanOptions& asked, PredictionTable& table) {
  if (plan.options.parallel != Parallel::kFree || !plan.options.hand_on) return {};
  return all_faster(plan, asked, table, &SplitTrials::faster_hand_on);
}

PlanOptions with_fastest(const Plan& plan, const std::vector<FasterChoice>& choices, std::size_t most) {
  PlanOptions options = plan.options;
  for (const FasterChoice* faster : fastest_of(choices, most)) choose_for_uses(options, faster->task, faster->choice);
  return options;
}

double promised(const std::vector<FasterChoice>& choices, std::size_t most) {
  double gain = 0;
  for (const FasterChoice* faster : fastest_of(choices, most)) gain += faster->gain;
  return gain;
}

}  // namespace tilewright
