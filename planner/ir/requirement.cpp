#include "planner/ir/requirement.h"

#include <algorithm>

#include "planner/graph/window.h"
#include "planner/ir/contraction.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/in_place.h"
#include "planner/ir/window_region.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// The box that holds two others.
BoxRange hull(BoxRange a, const BoxRange& b) {
  for (std::size_t d = 0; d < a.size(); ++d) a[d] = {std::min(a[d].begin, b[d].begin), std::max(a[d].end, b[d].end)};
  return a;
}

BoxRange scales_requirement(const Contraction& part) {
  const Range k = part.reduction({0, part.shape().k});
  return {part.packed().value().groups(k), part.columns().column};
}

BoxRange contraction_requirement(const Plan& plan, const Operator& op, std::size_t index, const WorkItem& item) {
  const auto part = make_contraction(plan, op, item);
  const Range m{0, part->shape().m}, k{0, part->shape().k};
  const Range first{0, 1}, last{part->shape().batches - 1, part->shape().batches};
  if (index == 2 && part->packed()) return scales_requirement(*part);
  if (index == 2) return part->factors(k).value().box;
  const bool operand_a = (op.kind == OpKind::kConv) == (index == 1);
  if (operand_a) return hull(part->a(first, m, k).region.box, part->a(last, m, k).region.box);
  return hull(part->b(first, part->columns(), k).region.box, part->b(last, part->columns(), k).region.box);
}

BoxRange pool_requirement(const Plan& plan, const Operator& op, const BoxRange& output) {
  const Shape& input = plan.graph.tensor(op.inputs[0]).shape;
  const Window window = window_of(plan.graph, op);
  BoxRange box = output;
  for (std::size_t i = 0; i < 2; ++i) {
    const Range span = window_span(window.axes[i], output[2 + i]);
    box[2 + i] = {std::max<std::int64_t>(0, span.begin), std::min(input[2 + i], span.end)};
  }
  return box;
}

BoxRange reduction_requirement(const Shape& input, const Operator& op, const BoxRange& output) {
  BoxRange box = whole_box(input);
  std::size_t at = 0;
  for (std::size_t d = 0; d < input.size(); ++d) {
    const bool reduced =
        std::count(op.attributes.axes.begin(), op.attributes.axes.end(), static_cast<std::int64_t>(d)) > 0;
    if (!reduced) box[d] = output[at];
    if (!reduced || op.attributes.keepdims) ++at;
  }
  return box;
}

BoxRange transpose_requirement(const Operator& op, const BoxRange& output) {
  BoxRange box(output.size());
  for (std::size_t d = 0; d < output.size(); ++d) box[op.attributes.permutation[d]] = output[d];
  return box;
}

BoxRange slice_requirement(const Operator& op, const BoxRange& output) {
  BoxRange box = output;
  for (std::size_t i = 0; i < op.attributes.axes.size(); ++i) {
    const std::int64_t axis = op.attributes.axes[i], start = op.attributes.starts[i];
    const std::int64_t step = op.attributes.steps.empty() ? 1 : op.attributes.steps[i];
    box[axis] = {start + output[axis].begin * step, start + (output[axis].end - 1) * step + 1};
  }
  return box;
}

// An epilogue's operand: a vector is read in whole.
BoxRange operand_requirement(const Shape& operand, const BoxRange& output) {
  return operand.size() <= 1 ? whole_box(operand) : broadcast_box(operand, output);
}

// The output's range along the axis, less what lies before the input; may be empty.
BoxRange concat_requirement(const Plan& plan, const Operator& op, std::size_t index, const BoxRange& output) {
  const std::int64_t axis = op.attributes.axis;
  const std::int64_t before = first_of_input(plan.graph, op, index);
  const std::int64_t length = plan.graph.tensor(op.inputs[index]).shape[axis];
  BoxRange box = output;
  box[axis] = {std::clamp<std::int64_t>(output[axis].begin - before, 0, length),
               std::clamp<std::int64_t>(output[axis].end - before, 0, length)};
  return box;
}

}  // namespace

BoxRange required_input(const Plan& plan, const Operator& op, std::size_t index, const BoxRange& output) {
  if (index >= op.inputs.size()) return operand_requirement(plan.graph.tensor(all_inputs(op)[index]).shape, output);
  const Shape& shape = plan.graph.tensor(op.inputs[index]).shape;
  if (is_contraction(op.kind)) return contraction_requirement(plan, op, index, {0, output, {}});
  if (!is_data(role_of(op.kind, index))) return whole_box(shape);
  switch (traits_of(op.kind).axes) {
    case AxisMap::kAligned:
      return broadcast_box(shape, output);
    case AxisMap::kWindow:
      return pool_requirement(plan, op, output);
    case AxisMap::kReduced:
      return reduction_requirement(shape, op, output);
    case AxisMap::kPermuted:
      return transpose_requirement(op, output);
    case AxisMap::kSliced:
      return slice_requirement(op, output);
    case AxisMap::kConcatenated:
      return concat_requirement(plan, op, index, output);
    default:
      return whole_box(shape);
  }
}

BoxRange required_input(const Plan& plan, const Operator& op, std::size_t index, const WorkItem& item) {
  if (is_contraction(op.kind) && index < op.inputs.size()) return contraction_requirement(plan, op, index, item);
  return required_input(plan, op, index, item.output);
}

BoxRange whole_box(const Shape& shape) {
  BoxRange box;
  for (const std::int64_t size : shape) box.push_back({0, size});
  return box;
}

bool overlap(const BoxRange& a, const BoxRange& b) {
  for (std::size_t d = 0; d < a.size(); ++d)
    if (a[d].begin >= b[d].end || b[d].begin >= a[d].end) return false;
  return true;
}

std::vector<TensorId> all_inputs(const Operator& op) {
  std::vector<TensorId> all = op.inputs;
  for (const Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) all.push_back(*epilogue.operand);
  return all;
}

}  // namespace tilewright
