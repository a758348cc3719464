#include "planner/passes/tile/together.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/emit/chain/chain_choice.h"
#include "planner/emit/window_chain/window_choice.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/idle_latency.h"
#include "planner/estimate/tiling_time.h"
#include "planner/estimate/unit_times.h"
#include "planner/graph/window.h"
#include "planner/ir/element_types.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/group.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/siblings.h"
#include "planner/passes/tile/tile.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

double part_time(const Plan& plan, const Operator& op, const WorkItem& item, const Tiling& tiling, std::size_t cores) {
  const auto part = make_contraction(plan, op, item);
  return predicted_cycles(prediction_input(plan, op, *part, cores), tiling);
}

std::size_t first_element(const Graph& graph, const Operator& op) {
  const auto at = std::find_if(op.epilogues.begin(), op.epilogues.end(),
                               [&](const Epilogue& e) { return form_of(graph, e) == EpilogueForm::kElement; });
  return static_cast<std::size_t>(at - op.epilogues.begin());
}

// Operators of their own for the epilogues from `first` on: all cores load and store at once, and nothing else does.
// Before each of them cores store what it reads, tell each other and load it.
double time_apart(const Plan& plan, const Operator& op, std::size_t first) {
  const Bytes result = bytes_of_tensor(plan, op.output);
  Bytes moved = 0;
  for (std::size_t i = first; i < op.epilogues.size(); ++i) {
    moved += 2 * result;
    if (form_of(plan.graph, op.epilogues[i]) == EpilogueForm::kElement)
      moved += bytes_of_tensor(plan, *op.epilogues[i].operand);
  }
  const int cores = plan.hardware.cores();
  const double handed_on =
      2 * idle_latency(plan.hardware) + static_cast<double>(plan.hardware.core.control.signal_cycles);
  return static_cast<double>(op.epilogues.size() - first) * handed_on +
         static_cast<double>(moved) / (bandwidth_share(plan.hardware, cores) * cores);
}

std::size_t largest_part(const std::vector<WorkItem>& items) {
  const auto elements = [](const WorkItem& item) {
    return std::max<std::int64_t>(1, item.k.size()) * element_count(item.output);
  };
  const auto largest = std::max_element(
      items.begin(), items.end(), [&](const WorkItem& a, const WorkItem& b) { return elements(a) < elements(b); });
  return static_cast<std::size_t>(largest - items.begin());
}

// A product with everything fused into it, and with what stands behind its first element operand by itself.
struct ProductTimes {
  double fused = 0, apart = 0;
};

ProductTimes times_of(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const OperatorPlan& planned = plan.operators[id];
  const std::size_t at = largest_part(planned.split.items), cores = planned.split.items.size();
  const WorkItem& item = planned.split.items[at];
  ProductTimes times;
  times.fused = times.apart = part_time(plan, op, item, planned.tilings[at], cores);
  if (!has_element_operand(plan.graph, op)) return times;
  Operator alone = op;
  const std::size_t first = first_element(plan.graph, op);
  alone.epilogues.resize(first);
  times.apart = part_time(plan, alone, item, tile_part(plan, alone, item, cores), cores) + time_apart(plan, op, first);
  return times;
}

// Passes over the lanes that an element of the result of a softmax or a pool costs.
double passes_per_result(const Plan& plan, const Operator& op) {
  const VectorSpec& unit = plan.hardware.core.vector;
  if (op.kind == OpKind::kSoftmax) return 5.0 * unit.simple_passes + unit.transcendental_passes;
  const Window window = window_of(plan.graph, op);
  return static_cast<double>(window.axes[0].size * window.axes[1].size * unit.simple_passes);
}

// Of either by itself: it reads its input and writes its result once.
double vector_operator_time(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const auto cores = static_cast<int>(plan.operators[id].split.items.size());
  const auto moved =
      static_cast<double>(bytes_of_tensor(plan, op.inputs[0]) + bytes_of_tensor(plan, op.output)) / cores;
  const double results = static_cast<double>(element_count(plan.graph.tensor(op.output).shape)) / cores;
  return std::max(moved / bandwidth_share(plan.hardware, cores),
                  lane_time(plan.hardware.core.vector, results, passes_per_result(plan, op)));
}

// The operator that could follow `last` in a chain; -1: none.
OperatorId next_in_chain(const Graph& graph, std::vector<OperatorId> chain) {
  check_stop();
  const Tensor& result = graph.tensor(graph.op(chain.back()).output);
  if (result.consumers.size() != 1) return -1;
  const OperatorId next = result.consumers.front();
  if (is_window(graph.op(chain.back()))) return chain_fault(graph, {chain.back(), next}).empty() ? next : -1;
  if (graph.op(chain.back()).kind == OpKind::kSoftmax) chain.erase(chain.begin(), chain.end() - 2);
  if (graph.op(chain.back()).kind == OpKind::kMatMul) chain.erase(chain.begin(), chain.end() - 1);
  chain.push_back(next);
  return chain_fault(graph, chain).empty() ? next : -1;
}

// A group of windows that takes so many times what its operators do otherwise is not made longer.
constexpr double kHopeless = 2;

class ChainPartition {
 public:
  ChainPartition(const Plan& plan, std::vector<OperatorId> chain) : plan_(plan), chain_(std::move(chain)) {}

  // Appends what is faster together.
  void append_to(GroupChoice& choice) {
    best_.assign(chain_.size() + 1, {});
    for (std::size_t end = 1; end <= chain_.size(); ++end) {
      best_[end] = {best_[end - 1].cycles + alone(chain_[end - 1]), end - 1};
      const std::size_t most = std::min(end, static_cast<std::size_t>(constants().group_length));
      for (std::size_t length = 2; length <= most; ++length)
        if (!consider(end - length, end)) break;
    }
    for (std::size_t end = chain_.size(); end > 0; end = best_[end].begin)
      if (end - best_[end].begin > 1)
        choice.groups.push_back({names_of(plan_.graph, members(best_[end].begin, end)), {}});
  }

 private:
  struct Best {
    double cycles = 0;
    std::size_t begin = 0;  // of the last group, or operator
  };

  double alone(OperatorId id) const {
    if (!is_contraction(plan_.graph.op(id).kind)) return vector_operator_time(plan_, id);
    const ProductTimes times = times_of(plan_, id);
    return std::min(times.fused, times.apart);
  }

  // Whether a longer group with the same end may be possible.
  bool consider(std::size_t begin, std::size_t end) {
    check_stop();
    if (stops_in_front_of_product(end)) return true;
    const OperatorGroup group{members(begin, end)};
    if (!chain_fault(plan_.graph, group.members).empty()) return true;
    const auto cycles = together(group);
    if (!cycles) return false;
    const double all = best_[begin].cycles + *cycles / (1 - constants().group_gain);
    const double before = best_[end].cycles - best_[begin].cycles;
    if (all < best_[end].cycles) best_[end] = {all, begin};
    return !walks_windows(plan_.graph, group) || *cycles < kHopeless * before;
  }

  // Behind a softmax that the next product of the chain reads: all of that would be written and read again.
  bool stops_in_front_of_product(std::size_t end) const {
    return end < chain_.size() && plan_.graph.op(chain_[end - 1]).kind == OpKind::kSoftmax;
  }

  // Nothing when no block fits a core.
  std::optional<double> together(const OperatorGroup& group) const {
    if (walks_windows(plan_.graph, group)) {
      const auto grid = choose_window_grid(plan_, group, plan_.cores());
      return grid ? std::optional(grid->cycles) : std::nullopt;
    }
    const auto grid = choose_grid(plan_, group, plan_.cores());
    return grid ? std::optional(grid->cycles) : std::nullopt;
  }

  std::vector<OperatorId> members(std::size_t begin, std::size_t end) const {
    return {chain_.begin() + static_cast<std::ptrdiff_t>(begin), chain_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  const Plan& plan_;
  const std::vector<OperatorId> chain_;
  std::vector<Best> best_;  // by how many operators of the chain come before
};

}  // namespace

std::vector<std::vector<OperatorId>> chains_of(const Plan& plan) {
  std::vector<std::vector<OperatorId>> chains;
  std::vector<bool> seen(plan.graph.operators().size(), false);
  const auto may = [&](OperatorId id) { return !multiplies_int8(plan, plan.graph.op(id)) && !group_of(plan, id); };
  for (const OperatorId id : plan.graph.topological_order()) {
    const Operator& op = plan.graph.op(id);
    if (seen[id] || !(is_contraction(op.kind) || is_window(op)) || !may(id)) continue;
    std::vector<OperatorId> chain{id};
    for (OperatorId next = next_in_chain(plan.graph, chain); next >= 0 && may(next);
         next = next_in_chain(plan.graph, chain))
      chain.push_back(next);
    for (const OperatorId member : chain) seen[member] = true;
    if (chain.size() > 1) chains.push_back(std::move(chain));
  }
  return chains;
}

GroupChoice best_together(const Plan& plan) {
  GroupChoice choice{.groups = named_groups(plan)};
  if (may_have_groups(plan.options))
    for (const std::vector<OperatorId>& chain : chains_of(plan)) ChainPartition(plan, chain).append_to(choice);
  for (const OperatorId id : plan.order) {
    check_stop();
    const Operator& op = plan.graph.op(id);
    if (!has_element_operand(plan.graph, op) || is_grouped(choice, op.name)) continue;
    const ProductTimes times = times_of(plan, id);
    if (times.fused > times.apart) choice.apart.push_back(op.name);
  }
  return choice;
}

bool faster_merged(const Plan& apart, const Plan& merged, const std::vector<std::string>& names) {
  const auto time_of = [](const Plan& plan, const std::string& name) {
    const auto& operators = plan.graph.operators();
    const auto at = std::find_if(operators.begin(), operators.end(),
                                 [&](const Operator& op) { return op.name == name && is_contraction(op.kind); });
    return times_of(plan, static_cast<OperatorId>(at - operators.begin())).fused;
  };
  double before = 0;
  for (const std::string& name : names) before += time_of(apart, name);
  return time_of(merged, merged_name(names)) < before;
}

}  // namespace tilewright
