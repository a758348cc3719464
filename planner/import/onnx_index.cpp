// Operators that address elements by values: Gather and Scatter of all kinds, OneHot, Compress.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/graph/broadcast.h"
#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

std::int64_t axis_of(OnnxBuilder& b, const OnnxNode& node, std::int64_t otherwise = 0) {
  return b.normalised_axis(node, node.integer("axis", otherwise), b.rank(node, 0));
}

void gather(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kGather, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes.axis = axis_of(b, node);
  b.graph.tensor(op.inputs[1]).is_index = true;
  b.emit(node, std::move(op));
}

// Indices from -length to length - 1 as 0 to length - 1.
TensorId counted_from_start(OnnxSteps& s, TensorId indices, std::int64_t length) {
  const TensorId negative = s.less(indices, s.number(0, indices));
  return s.add(indices, s.mul(negative, static_cast<double>(length)));
}

// For every element of `shape` its position in a row-major tensor of `strides`, leaving out dimension `without`.
std::vector<double> positions_in(const Shape& shape, const std::vector<std::int64_t>& strides, std::int64_t without) {
  std::vector<std::int64_t> steps = strides;
  steps[without] = 0;
  std::vector<double> positions;
  for_each_offset(shape, steps, steps,
                  [&](std::int64_t at, std::int64_t) { positions.push_back(static_cast<double>(at)); });
  return positions;
}

void gather_elements(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0), indices = b.input(node, 1);
  const std::int64_t axis = axis_of(b, node);
  const Shape shape = s.shape(x), picked = s.shape(indices);
  if (picked.size() != shape.size()) node.fail("the indices have another rank than the data");
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  const TensorId along = s.mul(counted_from_start(s, indices, shape[axis]), static_cast<double>(strides[axis]));
  const TensorId others = s.constant(picked, positions_in(picked, strides, axis), index_element());
  s.finish(s.gather(s.reshape(x, {element_count(shape)}), s.add(along, others), 0));
}

// Indices [..., n] of the first n dimensions of `shape` behind `batch` ones, as one index into their product.
TensorId joined_indices(OnnxSteps& s, TensorId indices, const Shape& shape, std::int64_t batch) {
  const Shape all = s.shape(indices);
  const auto last = static_cast<std::int64_t>(all.size()) - 1;
  const Shape rows(all.begin(), all.end() - 1);
  const Shape addressed(shape.begin() + batch, shape.begin() + batch + all.back());
  const std::vector<std::int64_t> strides = row_major_strides(addressed);
  TensorId sum = -1;
  for (std::size_t d = 0; d < addressed.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    const TensorId one = counted_from_start(s, s.slice(indices, last, at, at + 1), addressed[d]);
    const TensorId scaled = strides[d] == 1 ? one : s.mul(one, static_cast<double>(strides[d]));
    sum = sum < 0 ? scaled : s.add(sum, scaled);
  }
  return s.reshape(sum, rows);
}

void gather_nd(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0), indices = b.input(node, 1);
  const Shape shape = s.shape(x), rows = s.shape(indices);
  const std::int64_t batch = node.integer("batch_dims", 0), depth = rows.empty() ? 0 : rows.back();
  if (batch < 0 || depth < 1 || batch + depth > static_cast<std::int64_t>(shape.size()) ||
      batch >= static_cast<std::int64_t>(rows.size()))
    node.fail(fmt::format("indices {} of shape {} with {} batch dimensions", to_string(rows), to_string(shape), batch));
  TensorId joined = joined_indices(s, indices, shape, batch);
  const Shape behind(shape.begin() + batch + depth, shape.end());
  const std::int64_t outer = element_count(Shape(shape.begin(), shape.begin() + batch)), tail = element_count(behind);
  const std::int64_t addressed = element_count(shape) / outer / tail;
  Shape out = s.shape(joined);
  if (batch > 0) {
    std::vector<double> starts;
    const std::int64_t each = element_count(out) / outer;
    for (std::int64_t i = 0; i < element_count(out); ++i) {
      const std::int64_t sample = i / each;
      starts.push_back(static_cast<double>(sample * addressed));
    }
    joined = s.add(joined, s.constant(out, std::move(starts), index_element()));
  }
  out.insert(out.end(), behind.begin(), behind.end());
  s.finish(s.reshape(s.gather(s.reshape(x, {outer * addressed, tail}), joined, 0), out));
}

// data with some rows replaced: every row of the result is one of data or of updates, and which is known.
void replace_rows(OnnxSteps& s, TensorId data, TensorId updates, const std::vector<std::int64_t>& targets,
                  std::int64_t row) {
  const Shape shape = s.shape(data);
  const std::int64_t count = element_count(shape) / row, updated = element_count(s.shape(updates)) / row;
  std::vector<std::int64_t> source(static_cast<std::size_t>(count));
  std::iota(source.begin(), source.end(), 0);
  for (std::size_t i = 0; i < targets.size(); ++i) source[targets[i]] = count + static_cast<std::int64_t>(i);
  const TensorId both = s.concat({s.reshape(data, {count, row}), s.reshape(updates, {updated, row})}, 0);
  s.finish(s.reshape(s.pick(both, 0, source), shape));
}

void expect_replacing(const OnnxNode& node) {
  const std::string reduction = node.text("reduction", "none");
  if (reduction != "none") node.fail(fmt::format("reduction '{}' is not supported", reduction));
}

void scatter_nd(OnnxBuilder& b, const OnnxNode& node) {
  expect_replacing(node);
  OnnxSteps s(b, node);
  const TensorId data = b.input(node, 0);
  const Shape shape = s.shape(data), rows = b.shape(node, 1);
  const std::vector<std::int64_t> indices = b.integers(node, 1);
  const auto depth = static_cast<std::size_t>(rows.empty() ? 0 : rows.back());
  if (depth < 1 || depth > shape.size())
    node.fail(fmt::format("indices {} of shape {}", to_string(rows), to_string(shape)));
  std::vector<std::int64_t> targets;
  for (std::size_t i = 0; i < indices.size(); i += depth) {
    std::int64_t target = 0;
    for (std::size_t d = 0; d < depth; ++d)
      target = target * shape[d] + b.normalised_axis(node, indices[i + d], static_cast<std::size_t>(shape[d]));
    targets.push_back(target);
  }
  replace_rows(s, data, b.input(node, 2), targets,
               element_count(Shape(shape.begin() + static_cast<std::ptrdiff_t>(depth), shape.end())));
}

void scatter_elements(OnnxBuilder& b, const OnnxNode& node) {
  expect_replacing(node);
  OnnxSteps s(b, node);
  const TensorId data = b.input(node, 0);
  const std::int64_t axis = axis_of(b, node);
  const Shape shape = s.shape(data);
  if (b.rank(node, 1) != shape.size()) node.fail("the indices have another rank than the data");
  const std::vector<std::int64_t> indices = b.integers(node, 1), strides = row_major_strides(shape);
  const std::vector<double> others = positions_in(b.shape(node, 1), strides, axis);
  std::vector<std::int64_t> targets;
  for (std::size_t i = 0; i < indices.size(); ++i)
    targets.push_back(static_cast<std::int64_t>(others[i]) +
                      b.normalised_axis(node, indices[i], static_cast<std::size_t>(shape[axis])) * strides[axis]);
  replace_rows(s, data, b.input(node, 2), targets, 1);
}

void one_hot(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  TensorId indices = b.input(node, 0);
  const auto depth = static_cast<std::int64_t>(b.scalar(node, 1));
  if (depth < 1) node.fail(fmt::format("depth {}", depth));
  const std::size_t rank = s.shape(indices).size();
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", -1), rank + 1);
  Shape beside = s.shape(indices);
  beside.insert(beside.begin() + axis, 1);
  indices = s.reshape(counted_from_start(s, indices, depth), beside);
  Shape classes(rank + 1, 1);
  classes[axis] = depth;
  std::vector<double> numbers(static_cast<std::size_t>(depth));
  std::iota(numbers.begin(), numbers.end(), 0);
  const TensorId hot = s.equal(indices, s.constant(classes, std::move(numbers), s.element(indices)));
  const TensorId values = b.input(node, 2);
  s.finish(s.where(hot, s.slice(values, 0, 1, 2), s.slice(values, 0, 0, 1)));
}

void compress(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  TensorId x = b.input(node, 0);
  const bool flat = node.find("axis", onnx::AttributeProto::INT) == nullptr;
  if (flat) x = s.reshape(x, {element_count(s.shape(x))});
  std::vector<std::int64_t> kept;
  const std::vector<double> chosen = b.values(node, 1);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i] != 0) kept.push_back(static_cast<std::int64_t>(i));
  if (kept.empty()) node.fail("keeps no element");
  s.finish(s.pick(x, flat ? 0 : axis_of(b, node), kept));
}

constexpr OnnxConversion kIndexing[] = {{"Gather", gather, 0, 0},
                                        {"GatherElements", gather_elements},
                                        {"GatherND", gather_nd},
                                        {"ScatterND", scatter_nd},
                                        {"ScatterElements", scatter_elements},
                                        {"Scatter", scatter_elements},
                                        {"OneHot", one_hot},
                                        {"Compress", compress}};

}  // namespace

std::span<const OnnxConversion> onnx_index_operators() { return kIndexing; }

}  // namespace tilewright
