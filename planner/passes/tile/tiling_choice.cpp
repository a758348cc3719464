#include "planner/passes/tile/tiling_choice.h"

#include <fmt/format.h>

#include "planner/estimate/tiling_time.h"
#include "planner/ir/element_types.h"

namespace tilewright {

Plan typed_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
  Plan plan;
  plan.graph = graph;
  plan.hardware = hardware;
  plan.options = options;
  plan.order = plan.graph.topological_order();
  assign_types(plan);
  return plan;
}

OperatorChoice choice_of(const TilingPoint& point, const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  OperatorChoice choice{id, split_of(point, plan, op), {}};
  for (const WorkItem& item : choice.split.items) {
    const auto part = make_contraction(plan, op, item.output);
    choice.tilings.push_back(tiling_of(point, part->shape(), tiling_limits(plan, op, *part)));
  }
  return choice;
}

OperatorChoice choice_of(const TilingPoint& point, const Graph& graph, OperatorId id, const Hardware& hardware,
                         DataType type) {
  return choice_of(point, typed_plan(graph, hardware, {.type = type}), id);
}

std::string check_choice(const OperatorChoice& choice, const Graph& graph, const Hardware& hardware, DataType type) {
  return check_choice(choice, typed_plan(graph, hardware, {.type = type}));
}

std::string check_choice(const OperatorChoice& choice, const Plan& plan) {
  const Operator& op = plan.graph.op(choice.op);
  if (std::ssize(choice.split.items) > plan.hardware.cores())
    return fmt::format("{} parts for {} cores", choice.split.items.size(), plan.hardware.cores());
  for (std::size_t i = 0; i < choice.split.items.size(); ++i) {
    const auto part = make_contraction(plan, op, choice.split.items[i].output);
    const std::string fault = check_tiling(choice.tilings.at(i), part->shape(), tiling_limits(plan, op, *part));
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace tilewright
