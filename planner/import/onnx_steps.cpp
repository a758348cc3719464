#include "planner/import/onnx_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/graph/broadcast.h"

namespace tilewright {

TensorId OnnxSteps::op(OpKind kind, std::vector<TensorId> inputs, Attributes attributes, const OnnxResult& result) {
  return b_.emit_hidden(node_, {.kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)},
                        result);
}

TensorId OnnxSteps::number(double value, TensorId like) { return constant({}, {value}, element(like)); }

TensorId OnnxSteps::constant(Shape shape, std::vector<double> values, const OnnxElement& element) {
  return b_.add_constant(node_, std::move(shape), std::move(values), element);
}

TensorId OnnxSteps::indices(const std::vector<std::int64_t>& values) {
  return constant({static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()}, index_element());
}

TensorId OnnxSteps::filled(const Shape& shape, double value, const OnnxElement& element) {
  return constant(shape, std::vector<double>(element_count(shape), value), element);
}

TensorId OnnxSteps::cast(TensorId x, const OnnxElement& to) {
  if (to.value_type == ValueType::kBool) return negation(equal(x, 0.0));
  const bool cuts = to.is_index && !whole(x);
  return op(cuts ? OpKind::kTruncate : OpKind::kCast, {x}, {}, {.element = to});
}

TensorId OnnxSteps::reduce(OpKind kind, TensorId x, std::vector<std::int64_t> axes, bool keepdims) {
  return op(kind, {x}, {.axes = std::move(axes), .keepdims = keepdims});
}

TensorId OnnxSteps::reshape(TensorId x, const Shape& target) {
  return shape(x) == target ? x : op(OpKind::kReshape, {x}, {}, {.target = target});
}

TensorId OnnxSteps::transpose(TensorId x, std::vector<std::int64_t> permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  return op(OpKind::kTranspose, {x}, {.permutation = std::move(permutation)});
}

TensorId OnnxSteps::slice(TensorId x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start == 0 && end == shape(x)[axis] && step == 1) return x;
  return op(OpKind::kSlice, {x}, {.axes = {axis}, .starts = {start}, .ends = {end}, .steps = {step}});
}

TensorId OnnxSteps::concat(std::vector<TensorId> parts, std::int64_t axis) {
  return parts.size() == 1 ? parts[0] : op(OpKind::kConcat, std::move(parts), {.axis = axis});
}

TensorId OnnxSteps::gather(TensorId x, TensorId positions, std::int64_t axis) {
  return op(OpKind::kGather, {x, positions}, {.axis = axis});
}

TensorId OnnxSteps::pick(TensorId x, std::int64_t axis, const std::vector<std::int64_t>& positions) {
  return gather(x, indices(positions), axis);
}

TensorId OnnxSteps::expand(TensorId x, const Shape& target) {
  const auto both = broadcast(shape(x), target);
  if (!both) node_.fail(fmt::format("{} cannot be expanded to {}", to_string(shape(x)), to_string(target)));
  Shape own(both->size() - shape(x).size(), 1);
  own.insert(own.end(), shape(x).begin(), shape(x).end());
  x = reshape(x, own);
  for (std::size_t d = 0; d < own.size(); ++d)
    if (own[d] != (*both)[d])
      x = pick(x, static_cast<std::int64_t>(d), std::vector<std::int64_t>(static_cast<std::size_t>((*both)[d]), 0));
  return x;
}

TensorId OnnxSteps::pad(TensorId x, std::int64_t axis, std::int64_t before, std::int64_t after, double value) {
  const std::int64_t length = shape(x)[axis];
  const std::int64_t start = std::max<std::int64_t>(0, -before), end = length - std::max<std::int64_t>(0, -after);
  if (start >= end) node_.fail(fmt::format("cuts all of axis {} away", axis));
  x = slice(x, axis, start, end);
  std::vector<TensorId> parts;
  const auto fill = [&](std::int64_t count) {
    Shape part = shape(x);
    part[axis] = count;
    if (count > 0) parts.push_back(filled(part, value, element(x)));
  };
  fill(before);
  parts.push_back(x);
  fill(after);
  return concat(std::move(parts), axis);
}

void OnnxSteps::finish(TensorId id, int index) { b_.emit(node_, {.kind = OpKind::kIdentity, .inputs = {id}}, index); }

}  // namespace tilewright
