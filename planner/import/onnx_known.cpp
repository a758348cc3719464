// Operators that only make values, from attributes, shapes and known values: no instruction stands behind them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/graph/broadcast.h"
#include "planner/import/onnx_builder.h"
#include "sim/base/checked.h"

namespace tilewright {
namespace {

using onnx::AttributeProto;

constexpr std::int64_t kMaxKnownElements = std::int64_t{1} << 24;

std::int64_t checked_count(const OnnxNode& node, const Shape& shape) {
  const auto refuse = [&] {
    node.fail(fmt::format("the shape {} is not possible or above {} elements", to_string(shape), kMaxKnownElements));
  };
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    count = checked_product(count, dim, refuse);
    if (dim < 0 || count > kMaxKnownElements) refuse();
  }
  return count;
}

void constant(OnnxBuilder& b, const OnnxNode& node) {
  if (const auto* value = node.find("value", AttributeProto::TENSOR)) {
    Tensor tensor = onnx_constant(b.output_name(node, 0), value->t(), b.kept_values);
    const bool output = b.output_names.contains(tensor.name),
               none = std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
    if (output || none)
      b.add_known(node, tensor.shape, tensor.data.value_or(std::vector<double>{}), element_of(tensor));
    else
      b.graph.add_tensor(std::move(tensor));
  } else if (const auto* number = node.find("value_float", AttributeProto::FLOAT)) {
    b.add_known(node, {}, {number->f()}, float_element());
  } else if (const auto* integer = node.find("value_int", AttributeProto::INT)) {
    b.add_known(node, {}, {static_cast<double>(integer->i())}, index_element());
  } else if (const auto* numbers = node.find("value_floats", AttributeProto::FLOATS)) {
    b.add_known(node, {numbers->floats_size()}, {numbers->floats().begin(), numbers->floats().end()}, float_element());
  } else if (const auto integers = node.integers("value_ints")) {
    b.add_known(node, {static_cast<std::int64_t>(integers->size())}, {integers->begin(), integers->end()},
                index_element());
  } else {
    node.fail("has no value of a supported kind");
  }
}

// Of a tensor with or without elements.
Shape shape_of(const OnnxBuilder& b, const OnnxNode& node) {
  if (node.has_input(0))
    if (const auto none = b.empty.find(node.proto.input(0)); none != b.empty.end()) return none->second.shape;
  return b.shape(node, 0);
}

void shape(OnnxBuilder& b, const OnnxNode& node) {
  const Shape x = shape_of(b, node);
  const auto rank = static_cast<std::int64_t>(x.size());
  const auto bound = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const std::int64_t start = bound(node.integer("start", 0)), end = std::max(start, bound(node.integer("end", rank)));
  b.add_known(node, {end - start}, {x.begin() + start, x.begin() + end}, index_element());
}

void size(OnnxBuilder& b, const OnnxNode& node) {
  b.add_known(node, {}, {static_cast<double>(element_count(shape_of(b, node)))}, index_element());
}

void constant_of_shape(OnnxBuilder& b, const OnnxNode& node) {
  const Shape target = b.integers(node, 0);
  const auto* value = node.find("value", AttributeProto::TENSOR);
  Tensor fill{.name = "fill", .shape = {1}, .data = std::vector<double>{0}};
  if (value) fill = onnx_constant("value", value->t());
  if (!fill.data || fill.data->size() != 1) node.fail("the value is not one element");
  b.add_known(node, target, std::vector<double>(checked_count(node, target), (*fill.data)[0]), element_of(fill));
}

void range(OnnxBuilder& b, const OnnxNode& node) {
  const double start = b.scalar(node, 0), limit = b.scalar(node, 1), step = b.scalar(node, 2);
  const double count = std::ceil((limit - start) / step);
  if (!(count <= static_cast<double>(kMaxKnownElements))) node.fail("is not finite or too long");
  std::vector<double> values(static_cast<std::size_t>(std::max(0.0, count)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<double>(i) * step;
  const auto length = static_cast<std::int64_t>(values.size());
  b.add_known(node, {length}, std::move(values), element_of(b.graph.tensor(b.input(node, 0))));
}

void non_zero(OnnxBuilder& b, const OnnxNode& node) {
  const Shape x = b.shape(node, 0);
  const std::vector<double> values = b.values(node, 0);
  const std::vector<std::int64_t> strides = row_major_strides(x);
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) found.push_back(static_cast<std::int64_t>(i));
  std::vector<double> positions;
  for (std::size_t d = 0; d < x.size(); ++d)
    for (const std::int64_t at : found) positions.push_back(static_cast<double>(at / strides[d] % x[d]));
  b.add_known(node, {static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(found.size())},
              std::move(positions), index_element());
}

OnnxElement element_asked_for(const OnnxNode& node, const OnnxElement& otherwise) {
  const std::int64_t type = node.integer("dtype", 0);
  return type == 0 ? otherwise : onnx_element(fmt::format("node '{}'", node.name), static_cast<int>(type));
}

void eye_like(OnnxBuilder& b, const OnnxNode& node) {
  const Shape x = b.shape(node, 0);
  if (x.size() != 2) node.fail(fmt::format("input has shape {}, expected rank 2", to_string(x)));
  std::vector<double> values(checked_count(node, x), 0);
  const std::int64_t diagonal = node.integer("k", 0);
  for (std::int64_t row = 0; row < x[0]; ++row)
    if (row + diagonal >= 0 && row + diagonal < x[1]) values[row * x[1] + row + diagonal] = 1;
  b.add_known(node, x, std::move(values), element_asked_for(node, element_of(b.graph.tensor(b.input(node, 0)))));
}

constexpr OnnxConversion kKnown[] = {
    {"Constant", constant}, {"Shape", shape},      {"Size", size},       {"ConstantOfShape", constant_of_shape},
    {"Range", range},       {"NonZero", non_zero}, {"EyeLike", eye_like}};

}  // namespace

std::span<const OnnxConversion> onnx_known_operators() { return kKnown; }

}  // namespace tilewright
