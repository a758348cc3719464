// A node that becomes several operators, written as a formula: every step adds one operator with a tensor of its own
// (or computes it, where its inputs are known), finish() gives a step's tensor the name of the node's output.
#pragma once

#include <vector>

#include "planner/import/onnx_builder.h"

namespace tilewright {

class OnnxSteps {
 public:
  OnnxSteps(OnnxBuilder& builder, const OnnxNode& node) : b_(builder), node_(node) {}

  const Shape& shape(TensorId id) const { return b_.graph.tensor(id).shape; }
  bool whole(TensorId id) const { return b_.graph.tensor(id).is_index; }
  OnnxElement element(TensorId id) const { return element_of(b_.graph.tensor(id)); }

  TensorId op(OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {}, const OnnxResult& result = {});
  TensorId add(TensorId a, TensorId b) { return op(OpKind::kAdd, {a, b}); }
  TensorId sub(TensorId a, TensorId b) { return op(OpKind::kSub, {a, b}); }
  TensorId mul(TensorId a, TensorId b) { return op(OpKind::kMul, {a, b}); }
  TensorId div(TensorId a, TensorId b) { return op(OpKind::kDiv, {a, b}); }
  TensorId max(TensorId a, TensorId b) { return op(OpKind::kMax, {a, b}); }
  TensorId min(TensorId a, TensorId b) { return op(OpKind::kMin, {a, b}); }
  TensorId matmul(TensorId a, TensorId b) { return op(OpKind::kMatMul, {a, b}); }
  TensorId neg(TensorId x) { return op(OpKind::kNeg, {x}); }
  TensorId exp(TensorId x) { return op(OpKind::kExp, {x}); }
  TensorId log(TensorId x) { return op(OpKind::kLog, {x}); }
  TensorId sqrt(TensorId x) { return op(OpKind::kSqrt, {x}); }
  TensorId magnitude(TensorId x) { return max(x, neg(x)); }

  // With a number of the first operand's type.
  TensorId number(double value, TensorId like);
  TensorId add(TensorId a, double b) { return add(a, number(b, a)); }
  TensorId sub(TensorId a, double b) { return sub(a, number(b, a)); }
  TensorId mul(TensorId a, double b) { return mul(a, number(b, a)); }
  TensorId div(TensorId a, double b) { return div(a, number(b, a)); }
  TensorId max(TensorId a, double b) { return max(a, number(b, a)); }
  TensorId min(TensorId a, double b) { return min(a, number(b, a)); }
  TensorId constant(Shape shape, std::vector<double> values, const OnnxElement& element);
  TensorId indices(const std::vector<std::int64_t>& values);
  TensorId filled(const Shape& shape, double value, const OnnxElement& element);

  // 1 where true, as integers.
  TensorId equal(TensorId a, TensorId b) { return op(OpKind::kEqual, {a, b}); }
  TensorId less(TensorId a, TensorId b) { return op(OpKind::kLess, {a, b}); }
  TensorId equal(TensorId a, double b) { return equal(a, number(b, a)); }
  TensorId negation(TensorId truth) { return equal(truth, 0.0); }
  // x where `truth`, else 0.
  TensorId mask(TensorId x, TensorId truth) { return op(OpKind::kMask, {x, truth}); }
  TensorId where(TensorId truth, TensorId x, TensorId y) { return add(mask(x, truth), mask(y, negation(truth))); }

  // The same values in another type; towards zero where a float becomes an integer.
  TensorId cast(TensorId x, const OnnxElement& to);
  TensorId to_float(TensorId x) { return whole(x) ? cast(x, float_element()) : x; }

  TensorId reduce(OpKind kind, TensorId x, std::vector<std::int64_t> axes, bool keepdims = true);
  TensorId reshape(TensorId x, const Shape& target);
  TensorId transpose(TensorId x, std::vector<std::int64_t> permutation);
  TensorId slice(TensorId x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step = 1);
  TensorId concat(std::vector<TensorId> parts, std::int64_t axis);
  // Elements of an axis by position, in any order and any number.
  TensorId pick(TensorId x, std::int64_t axis, const std::vector<std::int64_t>& positions);
  TensorId gather(TensorId x, TensorId positions, std::int64_t axis);
  // Dimensions of 1 repeated as numpy does.
  TensorId expand(TensorId x, const Shape& target);
  // Zeros (or `value`) before and after along an axis; negative lengths cut off.
  TensorId pad(TensorId x, std::int64_t axis, std::int64_t before, std::int64_t after, double value = 0);

  void finish(TensorId id, int index = 0);

 private:
  OnnxBuilder& b_;
  const OnnxNode& node_;
};

}  // namespace tilewright
