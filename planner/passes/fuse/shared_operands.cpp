#include "planner/passes/fuse/shared_operands.h"

#include <algorithm>

namespace tilewright {
namespace {

// 1: not at all.
std::int64_t times_repeated(const GraphEdit& edit, const Operator& op) {
  if (op.kind != OpKind::kConcat && op.kind != OpKind::kGather) return 1;
  const std::int64_t length = edit.tensor(op.inputs[0]).shape.at(op.attributes.axis);
  if (op.kind == OpKind::kConcat)
    return length == 1 && std::ranges::count(op.inputs, op.inputs[0]) == std::ssize(op.inputs) ? std::ssize(op.inputs)
                                                                                               : 1;
  const Tensor& rows = edit.tensor(op.inputs[1]);
  if (rows.shape.size() != 1 || !rows.data || std::ssize(*rows.data) % length != 0) return 1;
  const std::int64_t times = std::ssize(*rows.data) / length;
  for (std::int64_t i = 0; i < std::ssize(*rows.data); ++i)
    if (const std::int64_t row = i / times; (*rows.data)[i] != static_cast<double>(row)) return 1;
  return times;
}

std::int64_t elements_behind(const Shape& shape, std::int64_t axis) {
  return element_count(Shape(shape.begin() + axis + 1, shape.end()));
}

// Dimensions that become one are repeated together as the last of them is.
std::optional<std::int64_t> renamed(const Shape& from, const Shape& to, std::int64_t axis, std::int64_t times) {
  for (std::int64_t i = 0; i < std::ssize(to); ++i)
    if (elements_behind(to, i) == elements_behind(from, axis) && to[i] % times == 0) return i;
  return {};
}

// Which dimension of the result of `op` is repeated where `axis` of its first input is; nothing: none, or `op` could
// not do to what comes once what it does to what is repeated.
std::optional<std::int64_t> carried(const GraphEdit& edit, const Operator& op, std::int64_t axis, std::int64_t times) {
  const Shape &from = edit.tensor(op.inputs[0]).shape, &to = edit.tensor(op.output).shape;
  if (op.kind == OpKind::kReshape) return renamed(from, to, axis, times);
  const std::vector<std::int64_t>& order = op.attributes.permutation;
  if (op.kind == OpKind::kTranspose) return std::ranges::find(order, axis) - order.begin();
  const auto is_one = [&](TensorId id) { return element_count(edit.tensor(id).shape) == 1; };
  if (is_pointwise(op.kind) && from == to && std::all_of(op.inputs.begin() + 1, op.inputs.end(), is_one)) return axis;
  return {};
}

// Of `operand`, which `reader` alone reads, as all between it and the repetition is read once.
std::optional<RepeatedOperand> repetition_of(const GraphEdit& edit, TensorId operand, int reader) {
  const int writer = edit.writer(operand);
  if (writer < 0 || edit.only_reader(operand) != reader) return {};
  const Operator& op = edit.operators()[writer];
  if (const std::int64_t times = times_repeated(edit, op); times > 1)
    return RepeatedOperand{times, {{writer, op.attributes.axis}}};
  std::optional<RepeatedOperand> found = repetition_of(edit, op.inputs[0], writer);
  if (!found) return {};
  const auto axis = carried(edit, op, found->steps.back().axis, found->times);
  if (!axis) return {};
  found->steps.push_back({writer, *axis});
  return found;
}

}  // namespace

std::optional<RepeatedOperand> repeated_operand(const GraphEdit& edit, std::size_t product) {
  const Operator& op = edit.operators()[product];
  if (op.kind != OpKind::kMatMul || op.attributes.transpose_a) return {};
  const Shape &a = edit.tensor(op.inputs[0]).shape, &b = edit.tensor(op.inputs[1]).shape;
  if (a.size() != b.size() || a.size() < 3) return {};
  const std::size_t axis = a.size() - 3;
  if (b[axis] == 1 && a[axis] > 1) return RepeatedOperand{a[axis], {}};
  auto operand = repetition_of(edit, op.inputs[1], static_cast<int>(product));
  const bool arrives = operand && operand->steps.back().axis == static_cast<std::int64_t>(axis) && a[axis] == b[axis];
  return arrives ? operand : std::nullopt;
}

void make_once(GraphEdit& edit, const RepeatedOperand& operand) {
  if (operand.steps.empty()) return;
  const int first = operand.steps.front().op;
  const Operator repeat = edit.operators()[first];
  edit.remove(first);
  edit.redirect(repeat.output, repeat.inputs[0]);
  for (auto step = operand.steps.begin() + 1; step != operand.steps.end(); ++step)
    edit.tensor(edit.operators()[step->op].output).shape[step->axis] /= operand.times;
}

}  // namespace tilewright
