#include "planner/passes/label_pass.h"

#include <algorithm>
#include <set>

#include "planner/passes/axes.h"
#include "planner/passes/contraction.h"
#include "planner/passes/convert_constants.h"
#include "planner/passes/parts.h"
#include "planner/passes/requirement.h"
#include "planner/passes/types.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Ranges of every dimension of an operator's output, and of its reduction (empty: not cut).
struct Cuts {
  std::vector<std::vector<Range>> output;
  std::vector<Range> k;
  int per_group = 0;

  std::int64_t items() const {
    std::int64_t count = std::max<std::int64_t>(1, std::ssize(k));
    for (const auto& ranges : output) count *= std::ssize(ranges);
    return count;
  }
};

Cuts planned_cuts(const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const Parts parts = choose_parts(plan, op);
  const Rounding rounding = plan.options.parallel == Parallel::kFree ? Rounding::kEven : plan.options.rounding;
  Cuts cuts;
  cuts.per_group = parts.per_group;
  for (std::size_t d = 0; d < out.size(); ++d)
    cuts.output.push_back(cut_pieces(out[d], parts.output[d], rounding, granule_of(plan, op, d)));
  if (parts.k > 1) cuts.k = cut_pieces(reduction_length(plan.graph, op), parts.k, rounding, kernel_of(plan.graph, op));
  return cuts;
}

bool by_begin(const Range& a, const Range& b) { return a.begin < b.begin; }

// The ranges of one dimension of given boxes; the whole dimension where they are no grid.
std::vector<Range> ranges_of(const Split& split, std::size_t d, std::int64_t size) {
  std::vector<Range> ranges;
  for (const WorkItem& item : split.items)
    if (std::find(ranges.begin(), ranges.end(), item.output.at(d)) == ranges.end()) ranges.push_back(item.output[d]);
  std::sort(ranges.begin(), ranges.end(), by_begin);
  bool grid = ranges.front().begin == 0 && ranges.back().end == size;
  for (std::size_t i = 1; i < ranges.size(); ++i) grid = grid && ranges[i].begin == ranges[i - 1].end;
  return grid ? ranges : std::vector<Range>{{0, size}};
}

// Cuts of a split given from outside; one that does not fit the output is told by the split pass.
Cuts given_cuts(const Plan& plan, const Operator& op, const Split& split) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  Cuts cuts;
  const bool fits = std::all_of(split.items.begin(), split.items.end(),
                                [&](const WorkItem& item) { return item.output.size() == out.size(); });
  for (std::size_t d = 0; d < out.size(); ++d)
    cuts.output.push_back(fits ? ranges_of(split, d, out[d]) : std::vector<Range>{{0, out[d]}});
  return cuts;
}

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

// What the unit takes at a time: rows and columns of the array, lanes of the vector unit. A dimension that is no
// multiple goes element by element as far as the label says: the unit masks what is missing.
std::int64_t granule_at(const Plan& plan, const Operator& op, int axis, bool innermost, std::int64_t size) {
  const CoreSpec& core = plan.hardware.core;
  const int out = static_cast<int>(plan.graph.tensor(op.output).shape.size());
  const int m = op.kind == OpKind::kConv ? 1 : out - 2, n = out - 1;
  std::int64_t width = innermost ? core.vector.lanes : 1;
  if (is_contraction(op.kind)) {
    width = axis == m ? core.matmul.block_m : axis == n ? core.matmul.block_n : 1;
    if (axis == kReducedAxis && core.matmul.dataflow == Dataflow::kWeightStationary) width = core.matmul.rows;
  }
  return size % width == 0 ? width : 1;
}

DynamicLabel base_label(const Plan& plan, TensorId tensor) {
  DynamicLabel label;
  const Shape& shape = plan.graph.tensor(tensor).shape;
  label.type = plan.tensors[tensor].type;
  label.order = plan.labels[tensor].dynamic.order;
  label.padding = plan.labels[tensor].dynamic.padding;
  label.size = element_count(shape) * bytes_of(label.type);
  return label;
}

void set_exchange(DynamicLabel& label, const Plan& plan, const StrategyRow* row, std::int64_t items) {
  std::int64_t pieces = 1;
  for (const DimensionSplit& cut : label.split) pieces *= std::ssize(cut.ranges);
  if (row != nullptr && !label.split.empty()) {
    const StoreSwap& what = row->on(plan.hardware);
    label.store = what.store;
    label.swap = what.swap;
  }
  // Several cores need a piece that is cut less often than the work is.
  if (pieces < items) label.swap = std::max(label.swap, Swap::kMem);
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
    if (axis == kReducedAxis && !cuts.k.empty()) ranges = scaled(cuts.k, kernel_of(plan.graph, op));
    if (ranges.empty()) continue;
    label.split.push_back({label.order[d], std::move(ranges)});
    if (row == nullptr) row = row_for(plan, op, input, d);
  }
  set_exchange(label, plan, row, cuts.items());
  return label;
}

// Epilogue operands lie as they are and are read by every core that needs them.
DynamicLabel operand_label(const Plan& plan, TensorId tensor, const Cuts& cuts) {
  DynamicLabel label = base_label(plan, tensor);
  label.granule.assign(plan.graph.tensor(tensor).shape.size(), 1);
  set_exchange(label, plan, nullptr, cuts.items());
  return label;
}

DynamicLabel output_label(const Plan& plan, const Operator& op, const Cuts& cuts) {
  const Shape& shape = plan.graph.tensor(op.output).shape;
  DynamicLabel label = base_label(plan, op.output);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    label.granule.push_back(granule_at(plan, op, static_cast<int>(d), d + 1 == shape.size(), shape[d]));
    if (cuts.output[d].size() > 1) label.split.push_back({label.order[d], cuts.output[d]});
  }
  if (cuts.k.empty()) return label;
  // Partial results of the whole piece: added up where the strategies say.
  const StrategyRow* row = output_row(plan, op, 'C');
  const StoreSwap what = row != nullptr ? row->on(plan.hardware) : StoreSwap{{}, Swap::kCluster};
  label.store = what.store;
  label.swap = what.swap;
  return label;
}

void label_operator(Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (op.kind == OpKind::kReshape) return;
  const OperatorChoice* choice = plan.options.choice_of(id);
  const bool given = choice != nullptr && !choice->split.items.empty();
  const Cuts cuts = given ? given_cuts(plan, op, choice->split) : planned_cuts(plan, op);
  OperatorLabels& labels = plan.operators[id].labels;
  labels.per_group = cuts.per_group;
  for (std::size_t input = 0; input < op.inputs.size(); ++input)
    labels.inputs.push_back(input_label(plan, op, input, cuts));
  const auto all = all_inputs(op);
  for (std::size_t input = op.inputs.size(); input < all.size(); ++input)
    labels.inputs.push_back(operand_label(plan, all[input], cuts));
  labels.output = output_label(plan, op, cuts);
}

// A tensor's own label is that of its writer; where it has none, of its first reader.
void collect_tensor_labels(Plan& plan) {
  for (TensorId id = 0; id < static_cast<TensorId>(plan.labels.size()); ++id) {
    const Tensor& tensor = plan.graph.tensor(id);
    DynamicLabel& label = plan.labels[id].dynamic;
    if (tensor.producer && plan.graph.op(*tensor.producer).kind != OpKind::kReshape) {
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
  convert_constants(plan);
  for (const OperatorId id : plan.order) label_operator(plan, id);
  collect_tensor_labels(plan);
}

void verify_label(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (op.kind == OpKind::kReshape) continue;
    const auto inputs = all_inputs(op);
    const OperatorLabels& labels = plan.operators[id].labels;
    SIM_CHECK(labels.inputs.size() == inputs.size(), "'{}' lacks labels", op.name);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      verify_split(labels.inputs[i], plan.graph.tensor(inputs[i]).shape, plan.graph.tensor(inputs[i]).name);
    verify_split(labels.output, plan.graph.tensor(op.output).shape, plan.graph.tensor(op.output).name);
  }
}

std::vector<Range> reduction_ranges(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  if (!is_contraction(op.kind)) return {};
  const DynamicLabel& label = plan.operators[id].labels.inputs[0];
  for (std::size_t d = 0; d < label.order.size(); ++d) {
    if (axis_of(plan.graph, op, 0, d) != kReducedAxis) continue;
    const DimensionSplit* cut = label.split_of(label.order[d]);
    std::vector<Range> ranges = cut != nullptr ? cut->ranges : std::vector<Range>{};
    for (Range& range : ranges) range = {range.begin * kernel_of(plan.graph, op), range.end * kernel_of(plan.graph, op)};
    return ranges;
  }
  return {};
}

std::vector<OpKind> derived_strategies(const Plan& plan) {
  std::set<OpKind> kinds;
  for (const OperatorId id : plan.order)
    if (!strategies_of(plan).covers(plan.graph.op(id).kind)) kinds.insert(plan.graph.op(id).kind);
  return {kinds.begin(), kinds.end()};
}

}  // namespace tilewright
