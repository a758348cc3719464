#include "planner/passes/tile/tiling_choice.h"

#include <fmt/format.h>

#include "planner/estimate/tiling_time.h"
#include "planner/ir/element_types.h"

namespace tilewright {
namespace {

// A plan as it stands when the parts are given to the cores.
Plan typed_plan(const Graph& graph, const Hardware& hardware, DataType type) {
  Plan plan;
  plan.graph = graph;
  plan.hardware = hardware;
  plan.options.type = type;
  plan.order = plan.graph.topological_order();
  assign_types(plan);
  return plan;
}

}  // namespace

OperatorChoice choice_of(const TilingPoint& point, const Graph& graph, OperatorId id, const Hardware& hardware,
                         DataType type) {
  const Plan plan = typed_plan(graph, hardware, type);
  const Operator& op = plan.graph.op(id);
  OperatorChoice choice{id, split_of(point, plan, op), {}};
  for (const WorkItem& item : choice.split.items) {
    const auto part = make_contraction(plan, op, item.output);
    choice.tilings.push_back(tiling_of(point, part->shape(), tiling_limits(plan, op, *part)));
  }
  return choice;
}

std::string check_choice(const OperatorChoice& choice, const Graph& graph, const Hardware& hardware, DataType type) {
  const Plan plan = typed_plan(graph, hardware, type);
  const Operator& op = plan.graph.op(choice.op);
  if (std::ssize(choice.split.items) > hardware.cores())
    return fmt::format("{} parts for {} cores", choice.split.items.size(), hardware.cores());
  for (std::size_t i = 0; i < choice.split.items.size(); ++i) {
    const auto part = make_contraction(plan, op, choice.split.items[i].output);
    const std::string fault = check_tiling(choice.tilings.at(i), part->shape(), tiling_limits(plan, op, *part));
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace tilewright
