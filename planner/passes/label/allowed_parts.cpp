#include "planner/passes/label/allowed_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/in_place.h"
#include "planner/passes/label/parts.h"
#include "planner/passes/label/strategies.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// `units`: what the dimension can be cut between.
void ask_for_pieces(const StrategyRow& row, const Operator& op, char dimension, std::int64_t units,
                    const StrategyRow*& asked) {
  if (!row.pieces) return;
  if (*row.pieces > units)
    throw UserError(row.where,
                    fmt::format("pieces: got {}, but dimension {} of '{}' has {} {}{}", *row.pieces, dimension, op.name,
                                units, op.attributes.groups > 1 ? "group" : "element", units == 1 ? "" : "s"));
  asked = &row;
}

// Whether cores can compute parts of the operator that cut what the axis stands for.
bool can_be_cut(const Operator& op, int axis) {
  if (axis == kReducedAxis) return is_contraction(op.kind) && op.attributes.groups == 1;
  return axis >= 0 && can_cut(op, static_cast<std::size_t>(axis));
}

void check_can_be_cut(const Operator& op, int axis, char dimension, std::int64_t size, const StrategyRow& row) {
  if (row.given && size > 1 && !can_be_cut(op, axis))
    throw UserError(row.where, fmt::format("dimensions: got {}, but '{}' cannot be cut along it", dimension, op.name));
}

// Position of a dimension in the table: rows one after the other.
std::ptrdiff_t priority(const Plan& plan, const StrategyRow& row, char dimension) {
  const std::ptrdiff_t before = (&row - strategies_of(plan).rows().data()) * 16;
  return before + (std::find(row.dimensions.begin(), row.dimensions.end(), dimension) - row.dimensions.begin());
}

void allow(const Plan& plan, const Operator& op, int axis, char dimension, const StrategyRow& row, Allowed& allowed) {
  if (axis == kReducedAxis && is_contraction(op.kind) && op.attributes.groups == 1) {
    allowed.reduction = true;
    allowed.reduction_rank = std::min(allowed.reduction_rank, priority(plan, row, dimension));
    ask_for_pieces(row, op, dimension, reduction_length(plan.graph, op) / kernel_of(plan.graph, op),
                   allowed.reduction_asked);
  }
  if (axis < 0) return;
  const bool sample = is_sample_dimension(plan, op, axis);
  const Parallel mode = plan.options.parallel;
  if ((mode == Parallel::kData && !sample) || (mode == Parallel::kModel && sample)) return;
  allowed.output[axis] = true;
  allowed.rank[axis] = std::min(allowed.rank[axis], priority(plan, row, dimension));
  const std::int64_t granule = granule_of(plan, op, static_cast<std::size_t>(axis));
  ask_for_pieces(row, op, dimension, plan.graph.tensor(op.output).shape[axis] / granule, allowed.asked[axis]);
}

// Whether a part of the output that cuts the dimension needs a part of the input, at another place. A part of a cache
// may need nothing.
bool moves_along(const Plan& plan, const Operator& op, int axis) {
  const AxisMap axes = traits_of(op.kind).axes;
  if (axis != kWholeAxis) return false;
  return axes == AxisMap::kSliced || (axes == AxisMap::kConcatenated && !appends_in_place(plan, op));
}

// An operator that no row is about: every dimension, as far as the mode goes.
void derive(const Plan& plan, const Operator& op, Allowed& allowed) {
  const Parallel mode = plan.options.parallel;
  for (std::size_t d = 0; d < allowed.output.size(); ++d) {
    const bool sample = is_sample_dimension(plan, op, d);
    allowed.output[d] = mode == Parallel::kData ? sample : mode == Parallel::kModel ? !sample : true;
  }
  allowed.reduction = is_contraction(op.kind) && op.attributes.groups == 1 && mode != Parallel::kData;
}

// Operands one after the other: the inputs' rows, and for all but products those of the output.
void allow_rows(const Plan& plan, const Operator& op, Allowed& allowed) {
  const auto follow = [&](const StrategyRow* row, int axis, char dimension, std::int64_t size) {
    if (row == nullptr) return;
    check_can_be_cut(op, axis, dimension, size, *row);
    allow(plan, op, axis, dimension, *row, allowed);
  };
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    const Shape& shape = plan.graph.tensor(op.inputs[input]).shape;
    const std::string& order = plan.labels[op.inputs[input]].dynamic.order;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const StrategyRow* row = row_for(plan, op, input, d);
      const int axis = axis_of(plan.graph, op, input, d);
      follow(row, axis, order[d], shape[d]);
      if (row != nullptr && moves_along(plan, op, axis)) allowed.moved[d] = true;
    }
  }
  if (is_contraction(op.kind)) return;
  const Shape& shape = plan.graph.tensor(op.output).shape;
  const std::string& order = plan.labels[op.output].dynamic.order;
  for (std::size_t d = 0; d < order.size(); ++d)
    follow(output_row(plan, op, order[d]), static_cast<int>(d), order[d], shape[d]);
}

}  // namespace

std::vector<std::size_t> Allowed::order() const {
  std::vector<std::size_t> order(output.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
  return order;
}

Allowed allowed_parts(const Plan& plan, const Operator& op) {
  Allowed allowed(plan.graph.tensor(op.output).shape.size());
  if (strategies_of(plan).covers(op.kind))
    allow_rows(plan, op, allowed);
  else
    derive(plan, op, allowed);
  for (std::size_t d = 0; d < allowed.output.size(); ++d) allowed.output[d] = allowed.output[d] && can_cut(op, d);
  return allowed;
}

bool is_sample_dimension(const Plan& plan, const Operator& op, std::size_t d) {
  return d == 0 && plan.labels[op.output].dynamic.order.starts_with('N');
}

}  // namespace tilewright
