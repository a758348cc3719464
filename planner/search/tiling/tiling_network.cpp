#include "planner/search/tiling/tiling_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/roofline.h"
#include "planner/ir/access.h"
#include "planner/ir/element_types.h"
#include "planner/ir/group.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/requirement.h"
#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/tiling/measured_plan.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// What makes two operators the same problem; also what people read in a table.
std::string key_of(const Graph& graph, const Operator& op, DataType type) {
  std::string key(name_of(op.kind));
  for (const TensorId input : all_inputs(op)) {
    key += fmt::format(" {}{}", to_string(graph.tensor(input).shape), is_constant(graph, input) ? "c" : "");
  }
  const Attributes& a = op.attributes;
  if (op.kind == OpKind::kConv)
    key += fmt::format(" strides {} pads {} dilations {} groups {}", fmt::join(a.strides, "x"), fmt::join(a.pads, ","),
                       fmt::join(a.dilations, "x"), a.groups);
  if (a.transpose_a) key += " ta";
  if (a.transpose_b) key += " tb";
  for (const Epilogue& epilogue : op.epilogues)
    key += fmt::format(" {}{}", name_of(epilogue.kind), epilogue.operand ? "(operand)" : "");
  return key + fmt::format(" {}", name_of(type));
}

// What copies of the operator's constants, next to all cores, take beyond those that there are.
Bytes missing_copies(const Plan& plan, const Operator& op) {
  const auto is_copied = [](const PlacedPiece& piece) { return !piece.copies.empty(); };
  Bytes bytes = 0;
  for (const TensorId input : all_inputs(op))
    if (is_constant(plan.graph, input) && std::ranges::none_of(plan.tensors[storage_of(plan, input)].pieces, is_copied))
      bytes += (plan.hardware.dram.regions - 1) * bytes_of_tensor(plan, input);
  return bytes;
}

// What the user says about every operator, as far as a tiling by itself depends on it. By itself, an operator has no
// copies of constants either that have no room in the network.
PlanOptions asked_of(const Plan& plan, const Operator& op, Bytes room) {
  const PlanOptions& options = plan.options;
  PlanOptions asked;
  asked.overlap_operators = options.overlap_operators;
  asked.cores = options.cores, asked.rounding = options.rounding, asked.placement = options.placement;
  asked.replicate = options.replicate && missing_copies(plan, op) <= room;
  asked.image_blocks = options.image_blocks;
  asked.abreast = options.abreast;
  return asked;
}

OperatorChoice choice_for(const TilingOperator& op, const Hardware& hardware, const TriedPoint& tried) {
  if (tried.point) return choice_of(*tried.point, op.graph, op.op, hardware, op.type);
  const OperatorPlan planned = tiled_plan(op, hardware, tried).operators[op.op];
  return {op.op, planned.split, planned.tilings};
}

}  // namespace

double share_in_network(const Plan& plan) {
  const auto most = static_cast<double>(constants().network_requests);
  return most / std::max({1.0, most, requests_in_any_plan(plan.graph, plan.hardware)});
}

Bytes free_memory(const Plan& plan) { return plan.hardware.dram.capacity() - memory_taken(plan); }

std::vector<TilingTask> tiling_tasks(const Plan& plan) {
  const double share = share_in_network(plan);
  const Bytes room = free_memory(plan);
  std::vector<TilingTask> tasks;
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (!is_contraction(op.kind) || group_of(plan, id) != nullptr) continue;
    const DataType type = operand_type(plan, op);
    const PlanOptions asked = asked_of(plan, op, room);
    const std::string key = key_of(plan.graph, op, type) + (asked.replicate == plan.options.replicate ? "" : " once");
    const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const TilingTask& t) { return t.op.key == key; });
    if (task != tasks.end())
      task->uses.push_back(id);
    else
      tasks.push_back({{key, single_operator_graph(plan.graph, id), 0, type, asked, share}, {id}});
  }
  return tasks;
}

std::vector<TilingOperator> operators_of(const std::vector<TilingTask>& tasks) {
  std::vector<TilingOperator> operators;
  for (const TilingTask& task : tasks) operators.push_back(task.op);
  return operators;
}

bool is_chosen(const PlanOptions& options, const TilingTask& task) {
  return std::ranges::any_of(task.uses, [&](OperatorId use) { return options.choice_of(use) != nullptr; });
}

OperatorChoice as_planned(const OperatorPlan& planned, OperatorId op) {
  OperatorChoice choice{op, planned.split, planned.tilings};
  if (!planned.partials.empty()) choice.reduction = planned.labels.output.reduction;
  return choice;
}

void choose_for_uses(PlanOptions& options, const TilingTask& task, OperatorChoice choice) {
  for (const OperatorId use : task.uses) {
    choice.op = use;
    options.choose(choice);
  }
}

PlanOptions with_points(const Plan& plan, const std::vector<TilingTask>& tasks, const std::vector<TriedPoint>& points) {
  SIM_CHECK(tasks.size() == points.size(), "{} points for {} operators", points.size(), tasks.size());
  PlanOptions options = plan.options;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!points[i].is_refined()) choose_for_uses(options, tasks[i], choice_for(tasks[i].op, plan.hardware, points[i]));
  return options;
}

PlanOptions without_choices(const PlanOptions& asked, const Plan& plan) {
  PlanOptions options = asked;
  options.groups = plan.options.groups, options.merge = plan.options.merge, options.layout = plan.options.layout;
  return options;
}

Plan tuned_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options, const SearchOptions& search,
                int jobs) {
  Plan own = plan_network(graph, hardware, options);
  const Plan plan = make_plan(graph, hardware, without_choices(options, own), {.stop_after = kNeededForTasks});
  const std::vector<TilingTask> tasks = tiling_tasks(plan);
  if (tasks.empty()) return own;
  TilingMeasurer measurer(hardware, jobs, operators_of(tasks));
  std::vector<TriedPoint> points;
  for (const TilingTask& task : tasks)
    points.push_back(search_tiling(measurer.of(task.op), hardware, task.op, search).best.point);
  Plan tuned = make_plan(graph, hardware, with_points(plan, tasks, points));
  return std::move(fastest_measured({&own, &tuned}, jobs) == 0 ? own : tuned);
}

}  // namespace tilewright
