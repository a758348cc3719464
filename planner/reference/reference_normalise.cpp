// Softmax, normalisations and means: operators that first reduce over some dimensions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/graph/broadcast.h"
#include "planner/reference/reference_kinds.h"

namespace tilewright {
namespace {

std::int64_t count_from(const Shape& shape, std::size_t first) {
  return element_count(Shape(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end()));
}

void softmax_line(double* line, std::int64_t length, std::int64_t stride) {
  double maximum = line[0], sum = 0;
  for (std::int64_t i = 1; i < length; ++i) maximum = std::max(maximum, line[i * stride]);
  for (std::int64_t i = 0; i < length; ++i) sum += line[i * stride] = std::exp(line[i * stride] - maximum);
  for (std::int64_t i = 0; i < length; ++i) line[i * stride] /= sum;
}

void layer_norm_line(const Operator& op, const ReferenceOperands& in, double* line, std::int64_t length) {
  double mean = 0, variance = 0;
  for (std::int64_t i = 0; i < length; ++i) mean += line[i];
  mean /= static_cast<double>(length);
  for (std::int64_t i = 0; i < length; ++i) variance += (line[i] - mean) * (line[i] - mean);
  const double scale = 1.0 / std::sqrt(variance / static_cast<double>(length) + op.attributes.epsilon);
  for (std::int64_t i = 0; i < length; ++i)
    line[i] = (line[i] - mean) * scale * in[1].values[i] + (in.size() > 2 ? in[2].values[i] : 0.0);
}

void rms_norm_line(const Operator& op, const ReferenceOperands& in, double* line, std::int64_t length) {
  double squares = 0;
  for (std::int64_t i = 0; i < length; ++i) squares += line[i] * line[i];
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(length) + op.attributes.epsilon);
  for (std::int64_t i = 0; i < length; ++i) line[i] *= scale * in[1].values[i];
}

}  // namespace

TensorValues reference_softmax(const Operator& op, const ReferenceOperands& in) {
  TensorValues result = in[0].values;
  const std::int64_t length = in[0].shape[op.attributes.axis];
  const std::int64_t inner = count_from(in[0].shape, op.attributes.axis + 1);
  for (std::int64_t outer = 0; outer < element_count(in[0].shape) / (length * inner); ++outer)
    for (std::int64_t i = 0; i < inner; ++i) softmax_line(result.data() + outer * length * inner + i, length, inner);
  return result;
}

TensorValues reference_layer_norm(const Operator& op, const ReferenceOperands& in) {
  TensorValues result = in[0].values;
  const std::int64_t length = count_from(in[0].shape, op.attributes.axis);
  for (std::size_t first = 0; first < result.size(); first += length)
    layer_norm_line(op, in, result.data() + first, length);
  return result;
}

TensorValues reference_rms_norm(const Operator& op, const ReferenceOperands& in) {
  TensorValues result = in[0].values;
  const std::int64_t length = count_from(in[0].shape, op.attributes.axis);
  for (std::size_t first = 0; first < result.size(); first += length)
    rms_norm_line(op, in, result.data() + first, length);
  return result;
}

TensorValues reference_batch_norm(const Operator& op, const ReferenceOperands& in) {
  const Shape& x = in[0].shape;
  const std::int64_t inner = count_from(x, 2);
  TensorValues result = in[0].values;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t c = static_cast<std::int64_t>(i) / inner % x[1];
    const double scale = in[1].values[c] / std::sqrt(in[4].values[c] + op.attributes.epsilon);
    result[i] = (result[i] - in[3].values[c]) * scale + in[2].values[c];
  }
  return result;
}

TensorValues reference_reduce(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const bool maximum = op.kind == OpKind::kReduceMax;
  Shape kept = in[0].shape;
  for (const std::int64_t axis : op.attributes.axes) kept[axis] = 1;
  TensorValues result(element_count(out), maximum ? -std::numeric_limits<double>::infinity() : 0.0);
  const double* source = in[0].values.data();
  const auto strides = broadcast_strides(kept, in[0].shape);
  for_each_offset(in[0].shape, strides, strides, [&](std::int64_t target, std::int64_t) {
    result[target] = maximum ? std::max(result[target], *source) : result[target] + *source;
    ++source;
  });
  if (op.kind != OpKind::kReduceMean) return result;
  const double count = static_cast<double>(in[0].values.size()) / static_cast<double>(result.size());
  for (double& value : result) value /= count;
  return result;
}

}  // namespace tilewright
