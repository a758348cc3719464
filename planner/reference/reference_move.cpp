// Operators that only move elements.
#include <fmt/format.h>

#include "planner/graph/broadcast.h"
#include "planner/reference/reference_kinds.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// The elements of `source` at `strides`, for every index of `out` in row-major order.
TensorValues strided_copy(const double* source, const std::vector<std::int64_t>& strides, const Shape& out) {
  TensorValues result;
  result.reserve(element_count(out));
  for_each_offset(out, strides, strides, [&](std::int64_t offset, std::int64_t) { result.push_back(source[offset]); });
  return result;
}

std::int64_t count_between(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t count = 1;
  for (std::size_t i = first; i < last; ++i) count *= shape[i];
  return count;
}

// A negative index counts from the end, as in ONNX.
std::int64_t checked_index(const Operator& op, double value, std::int64_t length) {
  const auto limit = static_cast<double>(length);
  if (!(value >= -limit && value < limit))
    throw UserError(fmt::format("operator '{}'", op.name), fmt::format("index {} of a dimension of {}", value, length));
  const auto index = static_cast<std::int64_t>(value);
  return index < 0 ? index + length : index;
}

}  // namespace

TensorValues reference_transpose(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const auto own = row_major_strides(in[0].shape);
  std::vector<std::int64_t> strides;
  for (const std::int64_t axis : op.attributes.permutation) strides.push_back(own[axis]);
  return strided_copy(in[0].values.data(), strides, out);
}

TensorValues reference_concat(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const auto axis = static_cast<std::size_t>(op.attributes.axis);
  TensorValues result;
  result.reserve(element_count(out));
  for (std::int64_t outer = 0; outer < count_between(out, 0, axis); ++outer)
    for (const ReferenceOperand& operand : in) {
      const std::int64_t run = count_between(operand.shape, axis, operand.shape.size());
      const auto first = operand.values.begin() + outer * run;
      result.insert(result.end(), first, first + run);
    }
  return result;
}

TensorValues reference_slice(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  auto strides = row_major_strides(in[0].shape);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < op.attributes.axes.size(); ++i) {
    const std::int64_t axis = op.attributes.axes[i];
    first += op.attributes.starts[i] * strides[axis];
    if (!op.attributes.steps.empty()) strides[axis] *= op.attributes.steps[i];
  }
  return strided_copy(in[0].values.data() + first, strides, out);
}

TensorValues reference_gather(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const Shape& x = in[0].shape;
  const auto axis = static_cast<std::size_t>(op.attributes.axis);
  const std::int64_t run = count_between(x, axis + 1, x.size());
  TensorValues result;
  result.reserve(element_count(out));
  for (std::int64_t outer = 0; outer < count_between(x, 0, axis); ++outer)
    for (const double value : in[1].values) {
      const auto first = in[0].values.begin() + (outer * x[axis] + checked_index(op, value, x[axis])) * run;
      result.insert(result.end(), first, first + run);
    }
  return result;
}

}  // namespace tilewright
