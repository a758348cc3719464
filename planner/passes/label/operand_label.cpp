#include "planner/passes/label/operand_label.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/estimate/part_time.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/granule.h"
#include "planner/ir/partials.h"
#include "planner/passes/label/strategies.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Ranges of an input's dimension behind the ranges of the output's; empty when it has too few elements to follow them.
std::vector<Range> follow(const std::vector<Range>& ranges, std::int64_t size) {
  const std::int64_t whole = ranges.back().end;
  std::vector<Range> result;
  for (const Range& range : ranges) result.push_back({range.begin * size / whole, range.end * size / whole});
  const bool empty = std::any_of(result.begin(), result.end(), [](const Range& range) { return range.size() < 1; });
  return empty ? std::vector<Range>{} : result;
}

std::vector<Range> scaled(std::vector<Range> ranges, std::int64_t divisor) {
  for (Range& range : ranges) range = {range.begin / divisor, range.end / divisor};
  return ranges;
}

// As the strategies say. Who else needs a piece follows from what the cores read (allocate); a user's table may name
// more.
void set_store_and_swap(DynamicLabel& label, const Plan& plan, const StrategyRow* row) {
  if (row == nullptr || label.split.empty()) return;
  const StoreSwap& what = row->on(plan.hardware);
  label.store = what.store;
  if (row->given) label.swap = what.swap.value_or(Swap::kNo);
}

// For the first part's box; the others are no larger by more than one element.
Reduction predicted_reduction(const Plan& plan, const Operator& op, const Cuts& cuts) {
  BoxRange box;
  for (const auto& ranges : cuts.output) box.push_back(ranges.front());
  return fastest_reduction(plan, *make_contraction(plan, op, box, cuts.k.front()), std::ssize(cuts.k));
}

// Partial results of the whole piece: added up where and as the strategies say.
void set_exchange(DynamicLabel& label, const Plan& plan, const Operator& op, const Cuts& cuts) {
  const StrategyRow* row = output_row(plan, op, 'C');
  const StoreSwap what = row != nullptr ? row->on(plan.hardware) : StoreSwap{};
  if (what.swap == Swap::kNo)
    throw UserError(row->where, fmt::format("swap: got 'no', but the sum of '{}' is cut: its partial results are "
                                            "exchanged",
                                            op.name));
  label.store = what.store;
  label.swap = what.swap.value_or(Swap::kCluster);
  label.reduction = what.reduction ? *what.reduction : predicted_reduction(plan, op, cuts);
  if (label.reduction == Reduction::kNetwork && !network_adds(plan.hardware, label.store))
    throw UserError(row->where,
                    fmt::format("reduction: got 'network' for the sum of '{}', which needs "
                                "network.reduction in the hardware file, several clusters and store: cluster",
                                op.name));
}

}  // namespace

DynamicLabel base_label(const Plan& plan, TensorId tensor) {
  DynamicLabel label;
  const Shape& shape = plan.graph.tensor(tensor).shape;
  label.type = plan.tensors[tensor].type;
  label.order = plan.labels[tensor].dynamic.order;
  label.padding = plan.labels[tensor].dynamic.padding;
  label.size = element_count(shape) * bytes_of(label.type);
  return label;
}

DynamicLabel input_label(const Plan& plan, const Operator& op, std::size_t input, const Cuts& cuts) {
  const TensorId tensor = op.inputs[input];
  const Shape& shape = plan.graph.tensor(tensor).shape;
  DynamicLabel label = base_label(plan, tensor);
  const StrategyRow* row = nullptr;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const int axis = axis_of(plan.graph, op, input, d);
    label.granule.push_back(granule_at(plan, op, axis, d + 1 == shape.size(), shape[d]));
    std::vector<Range> ranges;
    if (axis >= 0 && cuts.output[axis].size() > 1) ranges = follow(cuts.output[axis], shape[d]);
    if (axis == kReducedAxis && !cuts.k.empty())
      ranges = op.kind == OpKind::kMatMulNBits ? follow(cuts.k, shape[d]) : scaled(cuts.k, kernel_of(plan.graph, op));
    if (ranges.empty()) continue;
    label.split.push_back({label.order[d], std::move(ranges)});
    if (row == nullptr) row = row_for(plan, op, input, d);
  }
  set_store_and_swap(label, plan, row);
  return label;
}

DynamicLabel operand_label(const Plan& plan, TensorId tensor, const Cuts& cuts) {
  DynamicLabel label = base_label(plan, tensor);
  const Shape& shape = plan.graph.tensor(tensor).shape;
  label.granule.assign(shape.size(), 1);
  for (std::size_t d = 0; shape.size() > 1 && d < shape.size(); ++d) {
    const std::vector<Range>& ranges = cuts.output[cuts.output.size() - shape.size() + d];
    if (shape[d] > 1 && ranges.size() > 1) label.split.push_back({label.order[d], ranges});
  }
  return label;
}

DynamicLabel output_label(const Plan& plan, const Operator& op, const Cuts& cuts) {
  const Shape& shape = plan.graph.tensor(op.output).shape;
  DynamicLabel label = base_label(plan, op.output);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    label.granule.push_back(granule_at(plan, op, static_cast<int>(d), d + 1 == shape.size(), shape[d]));
    if (cuts.output[d].size() > 1) label.split.push_back({label.order[d], cuts.output[d]});
  }
  if (!cuts.k.empty()) set_exchange(label, plan, op, cuts);
  return label;
}

}  // namespace tilewright
