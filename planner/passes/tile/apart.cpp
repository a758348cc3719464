#include "planner/passes/tile/apart.h"

#include <algorithm>

#include "planner/emit/chunk.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/tiling_time.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/lifetime.h"
#include "planner/passes/tile/tile.h"
#include "sim/base/error.h"

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
double time_apart(const Plan& plan, const Operator& op, std::size_t first) {
  const Bytes result = bytes_of_tensor(plan, op.output);
  Bytes moved = 0;
  for (std::size_t i = first; i < op.epilogues.size(); ++i) {
    moved += 2 * result;
    if (form_of(plan.graph, op.epilogues[i]) == EpilogueForm::kElement)
      moved += bytes_of_tensor(plan, *op.epilogues[i].operand);
  }
  const int cores = plan.hardware.cores();
  return static_cast<double>(moved) / (bandwidth_share(plan.hardware, cores) * cores);
}

std::size_t largest_part(const std::vector<WorkItem>& items) {
  const auto elements = [](const WorkItem& item) {
    return std::max<std::int64_t>(1, item.k.size()) * element_count(item.output);
  };
  const auto largest = std::max_element(
      items.begin(), items.end(), [&](const WorkItem& a, const WorkItem& b) { return elements(a) < elements(b); });
  return static_cast<std::size_t>(largest - items.begin());
}

bool pays(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const OperatorPlan& planned = plan.operators[id];
  const std::size_t at = largest_part(planned.split.items), cores = planned.split.items.size();
  const WorkItem& item = planned.split.items[at];
  const double fused = part_time(plan, op, item, planned.tilings[at], cores);
  Operator alone = op;
  const std::size_t first = first_element(plan.graph, op);
  alone.epilogues.resize(first);
  const double apart = part_time(plan, alone, item, tile_part(plan, alone, item, cores), cores);
  return fused <= apart + time_apart(plan, op, first);
}

}  // namespace

std::vector<std::string> better_apart(const Plan& plan) {
  std::vector<std::string> names;
  for (const OperatorId id : plan.order)
    if (has_element_operand(plan.graph, plan.graph.op(id)) && !pays(plan, id)) names.push_back(plan.graph.op(id).name);
  return names;
}

}  // namespace tilewright
