// Comparisons, logic and what is chosen by them. Truth is 1 or 0, as integers.
#include <limits>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

// Both operands as the operator takes them: numpy broadcast, of one type.
struct Pair {
  Pair(OnnxBuilder& b, const OnnxNode& node) : s(b, node), x(b.input(node, 0)), y(b.input(node, 1)) {}
  OnnxSteps s;
  TensorId x, y;
};

void greater(OnnxBuilder& b, const OnnxNode& node) {
  Pair p(b, node);
  p.s.finish(p.s.less(p.y, p.x));
}

// Not the negation of "less": that would hold for numbers that cannot be compared.
void greater_or_equal(OnnxBuilder& b, const OnnxNode& node) {
  Pair p(b, node);
  p.s.finish(p.s.max(p.s.less(p.y, p.x), p.s.equal(p.x, p.y)));
}

void less_or_equal(OnnxBuilder& b, const OnnxNode& node) {
  Pair p(b, node);
  p.s.finish(p.s.max(p.s.less(p.x, p.y), p.s.equal(p.x, p.y)));
}

void logical_and(OnnxBuilder& b, const OnnxNode& node) {
  Pair p(b, node);
  p.s.finish(p.s.min(p.x, p.y));
}

void logical_or(OnnxBuilder& b, const OnnxNode& node) {
  Pair p(b, node);
  p.s.finish(p.s.max(p.x, p.y));
}

void logical_xor(OnnxBuilder& b, const OnnxNode& node) {
  Pair p(b, node);
  p.s.finish(p.s.negation(p.s.equal(p.x, p.y)));
}

void logical_not(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(s.negation(b.input(node, 0)));
}

void where(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(s.where(b.input(node, 0), b.input(node, 1), b.input(node, 2)));
}

void is_nan(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  s.finish(s.negation(s.equal(x, x)));
}

void is_infinite(OnnxBuilder& b, const OnnxNode& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const bool up = node.integer("detect_positive", 1) != 0, down = node.integer("detect_negative", 1) != 0;
  if (!up && !down) node.fail("detects neither sign");
  const TensorId value = up && down ? s.magnitude(x) : x;
  s.finish(s.equal(value, up ? kInfinity : -kInfinity));
}

void sign(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0), zero = s.number(0, x);
  s.finish(s.cast(s.sub(s.less(zero, x), s.less(x, zero)), s.element(x)));
}

constexpr OnnxConversion kComparisons[] = {{"Greater", greater},
                                           {"GreaterOrEqual", greater_or_equal},
                                           {"LessOrEqual", less_or_equal},
                                           {"And", logical_and},
                                           {"Or", logical_or},
                                           {"Xor", logical_xor},
                                           {"Not", logical_not},
                                           {"Where", where},
                                           {"IsNaN", is_nan},
                                           {"IsInf", is_infinite},
                                           {"Sign", sign}};

}  // namespace

std::span<const OnnxConversion> onnx_compare_operators() { return kComparisons; }

}  // namespace tilewright
