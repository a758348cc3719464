// Positions by size: TopK, ArgMax, ArgMin, Hardmax; running sums.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

// 0, 1, ... along `axis` of a tensor of this rank.
TensorId counting(OnnxSteps& s, std::int64_t length, std::int64_t axis, std::size_t rank, const OnnxElement& element) {
  Shape shape(rank, 1);
  shape[axis] = length;
  std::vector<double> numbers(static_cast<std::size_t>(length));
  std::iota(numbers.begin(), numbers.end(), 0);
  return s.constant(std::move(shape), std::move(numbers), element);
}

// The first (or last) position of the largest element along the axis, which stays with one element.
TensorId position_of_largest(OnnxSteps& s, TensorId x, std::int64_t axis, bool last) {
  const std::int64_t length = s.shape(x)[axis];
  const TensorId largest = s.reduce(OpKind::kReduceMax, x, {axis});
  const TensorId positions = counting(s, length, axis, s.shape(x).size(), index_element());
  const TensorId score =
      last ? s.add(positions, 1.0) : s.sub(s.number(static_cast<double>(length), positions), positions);
  const TensorId best = s.reduce(OpKind::kReduceMax, s.mul(s.equal(x, largest), score), {axis});
  return last ? s.sub(best, 1.0) : s.sub(s.number(static_cast<double>(length), best), best);
}

void arg(OnnxBuilder& b, const OnnxNode& node, bool smallest) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", 0), s.shape(x).size());
  const bool last = node.integer("select_last_index", 0) != 0;
  const TensorId position = s.cast(position_of_largest(s, smallest ? s.neg(x) : x, axis, last), index_element());
  Shape kept = s.shape(position);
  if (node.integer("keepdims", 1) == 0) kept.erase(kept.begin() + axis);
  s.finish(s.reshape(position, kept));
}

void arg_max(OnnxBuilder& b, const OnnxNode& node) { arg(b, node, false); }
void arg_min(OnnxBuilder& b, const OnnxNode& node) { arg(b, node, true); }

// Every element's rank is the number of those that stand before it: larger ones, and equal ones at lower positions.
TensorId ranks(OnnxSteps& s, TensorId x, bool largest) {
  const Shape shape = s.shape(x);  // [rows, length]
  const TensorId own = s.reshape(x, {shape[0], shape[1], 1}), other = s.reshape(x, {shape[0], 1, shape[1]});
  const TensorId better = largest ? s.less(own, other) : s.less(other, own);
  std::vector<double> lower;
  for (std::int64_t i = 0; i < shape[1] * shape[1]; ++i) lower.push_back(i % shape[1] < i / shape[1]);
  const TensorId before = s.constant({shape[1], shape[1]}, std::move(lower), index_element());
  return s.reduce(OpKind::kReduceSum, s.add(better, s.mul(s.equal(own, other), before)), {2}, false);
}

std::int64_t count_of(const OnnxBuilder& b, const OnnxNode& node, std::int64_t length) {
  const std::int64_t count = node.has_input(1) ? static_cast<std::int64_t>(b.scalar(node, 1)) : node.integer("k", 0);
  if (count < 1 || count > length) node.fail(fmt::format("takes {} of {} elements", count, length));
  return count;
}

// Sorts by ranks: comparisons of all pairs, as units without branches do it. Exact for any values but NaN.
void top_k(OnnxBuilder& b, const OnnxNode& node) {
  constexpr std::int64_t kMaxLength = 4096;
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const std::size_t rank = s.shape(x).size();
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", -1), rank), length = s.shape(x)[axis];
  const std::int64_t count = count_of(b, node, length), rows = element_count(s.shape(x)) / length;
  if (length > kMaxLength) node.fail(fmt::format("sorts {} elements, at most {} are supported", length, kMaxLength));
  std::vector<std::int64_t> to_last(rank);
  std::iota(to_last.begin(), to_last.end(), 0);
  std::swap(to_last[axis], to_last.back());
  const TensorId moved = s.transpose(x, to_last);
  const TensorId flat = s.reshape(moved, {rows, length});
  const TensorId places = s.reshape(ranks(s, flat, node.integer("largest", 1) != 0), {rows, 1, length});
  const TensorId hit = s.equal(places, counting(s, count, 1, 3, index_element()));
  Shape out = s.shape(moved);
  out.back() = count;
  const auto deliver = [&](TensorId values, int index) {
    const TensorId sum = s.reduce(OpKind::kReduceSum, s.mask(values, hit), {2}, false);
    s.finish(s.transpose(s.reshape(sum, out), to_last), index);
  };
  if (b.has_output(node, 0)) deliver(s.reshape(flat, {rows, 1, length}), 0);
  if (b.has_output(node, 1)) deliver(counting(s, length, 2, 3, index_element()), 1);
}

void hardmax(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const std::size_t rank = s.shape(x).size();
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", node.opset < 13 ? 1 : -1), rank);
  if (node.opset < 13 && axis + 1 != static_cast<std::int64_t>(rank))
    node.fail("spans several dimensions before opset 13");
  const TensorId position = position_of_largest(s, x, axis, false);
  s.finish(s.cast(s.equal(counting(s, s.shape(x)[axis], axis, rank, index_element()), position), s.element(x)));
}

// Each round adds what stands twice as far away.
void cum_sum(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  TensorId x = b.input(node, 0);
  const std::int64_t axis = b.normalised_axis(node, static_cast<std::int64_t>(b.scalar(node, 1)), s.shape(x).size());
  const std::int64_t length = s.shape(x)[axis];
  const bool reverse = node.integer("reverse", 0) != 0;
  const auto shifted = [&](TensorId from, std::int64_t by) {
    const TensorId rest = reverse ? s.slice(from, axis, by, length) : s.slice(from, axis, 0, length - by);
    return reverse ? s.pad(rest, axis, 0, by) : s.pad(rest, axis, by, 0);
  };
  if (node.integer("exclusive", 0) != 0) x = length == 1 ? s.sub(x, x) : shifted(x, 1);
  for (std::int64_t by = 1; by < length; by *= 2) x = s.add(x, shifted(x, by));
  s.finish(x);
}

constexpr OnnxConversion kSorting[] = {
    {"TopK", top_k}, {"ArgMax", arg_max}, {"ArgMin", arg_min}, {"Hardmax", hardmax}, {"CumSum", cum_sum}};

}  // namespace

std::span<const OnnxConversion> onnx_sort_operators() { return kSorting; }

}  // namespace tilewright
