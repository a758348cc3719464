// Reductions over axes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/onnx_axes.h"
#include "planner/import/onnx_steps.h"

namespace tilewright {

// The axes were an attribute once and are an input since opset 13 (ReduceSum) or 18; none means all.
std::vector<std::int64_t> reduced_axes(const OnnxBuilder& b, const OnnxNode& node) {
  const std::size_t rank = b.rank(node, 0);
  std::vector<std::int64_t> axes =
      node.has_input(1) ? b.integers(node, 1) : node.integers("axes").value_or(std::vector<std::int64_t>{});
  for (std::int64_t& axis : axes) axis = b.normalised_axis(node, axis, rank);
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  return axes;
}

namespace {

struct ReducedInput {
  ReducedInput(OnnxBuilder& b, const OnnxNode& node)
      : s(b, node), x(b.input(node, 0)), axes(reduced_axes(b, node)), keepdims(node.integer("keepdims", 1) != 0) {}

  TensorId over(OpKind kind, TensorId what) { return s.reduce(kind, what, axes, keepdims); }
  TensorId sum(TensorId what) { return over(OpKind::kReduceSum, what); }

  OnnxSteps s;
  TensorId x;
  std::vector<std::int64_t> axes;
  bool keepdims;
};

// The reduced dimensions, of 1 by now, left out where the node does not keep them.
TensorId without_axes(ReducedInput& r, TensorId x) {
  Shape kept;
  for (std::size_t d = 0; d < r.s.shape(x).size(); ++d)
    if (std::count(r.axes.begin(), r.axes.end(), static_cast<std::int64_t>(d)) == 0) kept.push_back(r.s.shape(x)[d]);
  return r.keepdims ? x : r.s.reshape(x, kept);
}

void emit(OnnxBuilder& b, const OnnxNode& node, OpKind kind) {
  const ReducedInput r(b, node);
  b.emit(node, {.kind = kind, .inputs = {r.x}, .attributes = {.axes = r.axes, .keepdims = r.keepdims}});
}

void reduce_sum(OnnxBuilder& b, const OnnxNode& node) { emit(b, node, OpKind::kReduceSum); }
void reduce_max(OnnxBuilder& b, const OnnxNode& node) { emit(b, node, OpKind::kReduceMax); }

void reduce_mean(OnnxBuilder& b, const OnnxNode& node) {
  if (b.graph.tensor(b.input(node, 0)).is_index) node.fail("means of integers are not supported");
  emit(b, node, OpKind::kReduceMean);
}

void reduce_min(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  r.s.finish(r.s.neg(r.over(OpKind::kReduceMax, r.s.neg(r.x))));
}

void reduce_l1(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  r.s.finish(r.sum(r.s.magnitude(r.x)));
}

void reduce_sum_square(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  r.s.finish(r.sum(r.s.mul(r.x, r.x)));
}

void reduce_l2(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  r.s.finish(r.s.sqrt(r.sum(r.s.mul(r.x, r.x))));
}

void reduce_log_sum(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  r.s.finish(r.s.log(r.sum(r.x)));
}

// max + log(sum(exp(x - max))): without overflow.
void reduce_log_sum_exp(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  const TensorId highest = r.s.reduce(OpKind::kReduceMax, r.x, r.axes);
  const TensorId rest = r.s.log(r.s.reduce(OpKind::kReduceSum, r.s.exp(r.s.sub(r.x, highest)), r.axes));
  r.s.finish(without_axes(r, r.s.add(highest, rest)));
}

// Halves of the axis are multiplied until one element is left.
TensorId product_along(OnnxSteps& s, TensorId x, std::int64_t axis) {
  for (std::int64_t length = s.shape(x)[axis]; length > 1; length = s.shape(x)[axis]) {
    const std::int64_t half = length / 2;
    const TensorId both = s.mul(s.slice(x, axis, 0, half), s.slice(x, axis, half, 2 * half));
    x = length % 2 == 0 ? both : s.concat({both, s.slice(x, axis, length - 1, length)}, axis);
  }
  return x;
}

void reduce_prod(OnnxBuilder& b, const OnnxNode& node) {
  ReducedInput r(b, node);
  TensorId x = r.x;
  for (const std::int64_t axis : r.axes) x = product_along(r.s, x, axis);
  r.s.finish(without_axes(r, x));
}

constexpr OnnxConversion kReduceConversions[] = {{"ReduceMean", reduce_mean},
                                                 {"ReduceSum", reduce_sum},
                                                 {"ReduceMax", reduce_max},
                                                 {"ReduceMin", reduce_min},
                                                 {"ReduceL1", reduce_l1},
                                                 {"ReduceL2", reduce_l2},
                                                 {"ReduceSumSquare", reduce_sum_square},
                                                 {"ReduceLogSum", reduce_log_sum},
                                                 {"ReduceLogSumExp", reduce_log_sum_exp},
                                                 {"ReduceProd", reduce_prod}};

}  // namespace

std::span<const OnnxConversion> onnx_reduce_operators() { return kReduceConversions; }

}  // namespace tilewright
