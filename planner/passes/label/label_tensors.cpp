#include "planner/passes/label/label_tensors.h"

#include <algorithm>
#include <set>

#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/element_types.h"
#include "planner/ir/group.h"
#include "planner/ir/region_allocator.h"
#include "planner/ir/requirement.h"
#include "planner/passes/label/convert_constants.h"
#include "planner/passes/label/operand_label.h"
#include "planner/passes/label/strategies.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

void stay_on_core(DynamicLabel& label) {
  label.store = {StoreLevel::kCore};
  label.swap = Swap::kNo;
}

void label_operator(Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (is_alias(op.kind)) return;
  const Cuts cuts = cuts_of(plan, id);
  OperatorLabels& labels = plan.operators[id].labels;
  labels.per_group = cuts.per_group;
  for (std::size_t input = 0; input < op.inputs.size(); ++input)
    labels.inputs.push_back(input_label(plan, op, input, cuts));
  const auto all = all_inputs(op);
  for (std::size_t input = op.inputs.size(); input < all.size(); ++input)
    labels.inputs.push_back(operand_label(plan, all[input], cuts));
  labels.output = output_label(plan, op, cuts);
  const OperatorChoice* choice = plan.options.choice_of(id);
  if (choice != nullptr && choice->reduction) labels.output.reduction = *choice->reduction;
  for (std::size_t input = 0; input < all.size(); ++input)
    if (stays_on_core(plan, all[input])) stay_on_core(labels.inputs[input]);
  if (stays_on_core(plan, op.output)) stay_on_core(labels.output);
}

// A tensor's own label is that of its writer; where it has none, of its first reader.
void collect_tensor_labels(Plan& plan) {
  for (TensorId id = 0; id < static_cast<TensorId>(plan.labels.size()); ++id) {
    const Tensor& tensor = plan.graph.tensor(id);
    DynamicLabel& label = plan.labels[id].dynamic;
    if (tensor.producer && !is_alias(plan.graph.op(*tensor.producer).kind)) {
      label = plan.operators[*tensor.producer].labels.output;
      continue;
    }
    label = base_label(plan, id);
    label.granule.assign(tensor.shape.size(), 1);
    for (const OperatorId reader : tensor.consumers) {
      const auto inputs = all_inputs(plan.graph.op(reader));
      const auto at = std::find(inputs.begin(), inputs.end(), id) - inputs.begin();
      if (plan.operators[reader].labels.inputs.empty()) continue;
      label = plan.operators[reader].labels.inputs[at];
      break;
    }
  }
}

void verify_split(const DynamicLabel& label, const Shape& shape, const std::string& name) {
  SIM_CHECK(label.order.size() == shape.size() && label.granule.size() == shape.size() &&
                label.padding.size() == shape.size(),
            "the label of '{}' has other dimensions", name);
  for (const DimensionSplit& cut : label.split) {
    const std::size_t d = label.order.find(cut.dimension);
    SIM_CHECK(d < shape.size(), "'{}' is split along {}, which it lacks", name, cut.dimension);
    std::int64_t covered = 0;
    for (const Range& range : cut.ranges) {
      SIM_CHECK(range.begin == covered && range.size() > 0, "ranges of '{}' leave gaps", name);
      covered = range.end;
    }
    SIM_CHECK(covered == shape[d], "ranges of '{}' end at {} of {}", name, covered, shape[d]);
  }
}

}  // namespace

void label(Plan& plan) {
  plan.order = plan.graph.topological_order();
  plan.operators.assign(plan.graph.operators().size(), {});
  plan.labels.clear();
  for (StaticLabel& fixed : static_labels(plan.graph)) {
    TensorLabel label;
    label.dynamic.order = fixed.order;
    label.dynamic.padding.resize(fixed.order.size());
    label.fixed = std::move(fixed);
    plan.labels.push_back(std::move(label));
  }
  strategies_of(plan).check(plan.hardware);
  assign_types(plan);
  check_largest_tensor(plan);
  convert_constants(plan);
  for (const OperatorId id : plan.order) label_operator(plan, id);
  collect_tensor_labels(plan);
}

void verify_label(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (is_alias(op.kind)) continue;
    const auto inputs = all_inputs(op);
    const OperatorLabels& labels = plan.operators[id].labels;
    SIM_CHECK(labels.inputs.size() == inputs.size(), "'{}' lacks labels", op.name);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      verify_split(labels.inputs[i], plan.graph.tensor(inputs[i]).shape, plan.graph.tensor(inputs[i]).name);
    verify_split(labels.output, plan.graph.tensor(op.output).shape, plan.graph.tensor(op.output).name);
  }
}

std::vector<OpKind> derived_strategies(const Plan& plan) {
  std::set<OpKind> kinds;
  for (const OperatorId id : plan.order)
    if (!strategies_of(plan).covers(plan.graph.op(id).kind)) kinds.insert(plan.graph.op(id).kind);
  return {kinds.begin(), kinds.end()};
}

}  // namespace tilewright
