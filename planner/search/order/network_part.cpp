#include "planner/search/order/network_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "planner/ir/lifetime.h"
#include "planner/ir/requirement.h"
#include "planner/passes/order/order.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Copies operators into a graph of their own.
class Extraction {
 public:
  explicit Extraction(const Plan& whole, const std::vector<OperatorId>& ops)
      : whole_(whole), inside_(whole.graph.operators().size(), false) {
    part_.name = "part";
    for (const OperatorId id : ops) add_with_renamings(id);
    copy_tensors();
    for (const OperatorId id : whole.order)
      if (inside_[id]) copy_operator(id);
  }

  Graph graph() { return std::move(part_); }
  // Bytes of what is there while the part runs but is none of its tensors: inputs, constants, outputs, and results of
  // operators before it that only operators behind it read.
  Bytes lasting_outside() const {
    Bytes bytes = 0;
    for (TensorId id = 0; id < static_cast<TensorId>(whole_.graph.tensors().size()); ++id)
      if (!copies_.contains(id) && (whole_.graph.tensor(id).kind != TensorKind::kHidden || passes_by(id)))
        bytes += bytes_of_tensor(whole_, id);
    return bytes;
  }
  // Operator of the whole by operator of the part.
  const std::vector<OperatorId>& origin() const { return origin_; }

 private:
  // The renamings between `id` and what it reads go with it.
  void add_with_renamings(OperatorId id) {
    if (inside_[id]) return;
    inside_[id] = true;
    for (const TensorId input : all_inputs(whole_.graph.op(id)))
      if (const auto producer = whole_.graph.tensor(input).producer;
          producer && is_alias(whole_.graph.op(*producer).kind))
        add_with_renamings(*producer);
  }

  // Written before the part and read behind it. A renaming has no bytes of its own.
  bool passes_by(TensorId id) const {
    const Tensor& tensor = whole_.graph.tensor(id);
    if (!tensor.producer || is_alias(whole_.graph.op(*tensor.producer).kind)) return false;
    bool before = true, behind = false, seen = false;
    for (const OperatorId op : whole_.order) {
      seen = seen || inside_[op];
      if (op == *tensor.producer) before = !seen;
      behind = behind || (seen && !inside_[op] && std::count(tensor.consumers.begin(), tensor.consumers.end(), op) > 0);
    }
    return before && behind;
  }

  TensorKind kind_of(const Tensor& tensor) const {
    if (!tensor.producer) return tensor.kind;
    if (!inside_[*tensor.producer]) return TensorKind::kInput;
    bool used_outside = tensor.kind == TensorKind::kOutput || tensor.consumers.empty();
    for (const OperatorId consumer : tensor.consumers) used_outside = used_outside || !inside_[consumer];
    return used_outside ? TensorKind::kOutput : TensorKind::kHidden;
  }

  // In the order of the whole, so that they lie in memory beside the same neighbours.
  void copy_tensors() {
    std::set<TensorId> used;
    for (std::size_t id = 0; id < inside_.size(); ++id) {
      if (!inside_[id]) continue;
      const Operator& op = whole_.graph.op(static_cast<OperatorId>(id));
      for (const TensorId input : all_inputs(op)) used.insert(input);
      used.insert(op.output);
    }
    for (const TensorId id : used) copy_tensor(id);
  }

  void copy_tensor(TensorId id) {
    Tensor tensor = whole_.graph.tensor(id);
    tensor.kind = kind_of(tensor);
    tensor.name = fmt::format("t{}", copies_.size());
    tensor.producer.reset();
    tensor.consumers.clear();
    copies_[id] = part_.add_tensor(std::move(tensor));
  }

  void copy_operator(OperatorId id) {
    Operator op = whole_.graph.op(id);
    op.name = fmt::format("op{}", origin_.size());
    for (TensorId& input : op.inputs) input = copies_.at(input);
    for (Epilogue& epilogue : op.epilogues)
      if (epilogue.operand) epilogue.operand = copies_.at(*epilogue.operand);
    op.output = copies_.at(op.output);
    part_.add_operator(std::move(op));
    origin_.push_back(id);
  }

  const Plan& whole_;
  Graph part_;
  std::vector<bool> inside_;
  std::vector<OperatorId> origin_;
  std::map<TensorId, TensorId> copies_;
};

PlanOptions with_choices_of(const Plan& whole, const std::vector<OperatorId>& origin) {
  PlanOptions options = whole.options;
  options.choices.clear();
  for (std::size_t id = 0; id < origin.size(); ++id) {
    const OperatorPlan& planned = whole.operators[origin[id]];
    options.choices.push_back({static_cast<OperatorId>(id), planned.split, planned.tilings});
  }
  return options;
}

}  // namespace

SchedulePart whole_part(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
  SchedulePart part;
  PlanOptions apart = options;  // an operator of several would have to stay with what is cut out of its result
  apart.merge = false;
  if (apart.groups && !apart.groups->merged.empty())
    throw UserError(apart.groups->merged.front().where,
                    "a schedule orders operators one by one: expected a file without 'merged'");
  part.tiled = plan_network(graph, hardware, apart, {.stop_after = kLastPassOfAnyOrder});
  part.tiled.options.order.clear();
  part.dag = schedule_dag(part.tiled.graph);
  return part;
}

SchedulePart sub_part(const SchedulePart& whole, const std::vector<int>& nodes) {
  std::vector<OperatorId> ops;
  for (const int node : nodes) ops.push_back(whole.dag.ops[node]);
  Extraction extraction(whole.tiled, ops);
  SchedulePart part;
  part.tiled.graph = extraction.graph();
  part.tiled.hardware = whole.tiled.hardware;
  part.tiled.options = with_choices_of(whole.tiled, extraction.origin());
  run_passes(part.tiled, "decompose", kLastPassOfAnyOrder);
  part.tiled.options.memory_held = extraction.lasting_outside();
  part.dag = schedule_dag(part.tiled.graph);
  return part;
}

Plan plan_in_order(const SchedulePart& part, const NodeOrder& order, bool verify) {
  Plan plan = part.tiled;
  plan.order = operators_of(part, order);
  run_passes(plan, kLastPassOfAnyOrder, {}, verify);
  return plan;
}

std::vector<std::string> labels_of(const SchedulePart& part, const NodeOrder& order) {
  const auto all = operator_labels(part.tiled.graph);
  std::vector<std::string> labels;
  for (const int node : order) labels.push_back(all[part.dag.ops[node]]);
  return labels;
}

std::vector<OperatorId> operators_of(const SchedulePart& part, const NodeOrder& order) {
  return find_order(part.tiled.graph, labels_of(part, order), "order");
}

}  // namespace tilewright
