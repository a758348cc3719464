// Operators that rename dimensions, and those that only make values for them: Constant, Shape, ConstantOfShape.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/onnx_builder.h"
#include "planner/import/onnx_tensor.h"

namespace tilewright {
namespace {

using onnx::AttributeProto;

std::int64_t product(const OnnxNode& node, const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape)
    if (dim != -1 && (dim < 1 || __builtin_mul_overflow(count, dim, &count)))
      node.fail(fmt::format("the target shape {} is not possible", to_string(shape)));
  return count;
}

void reshape(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& x = b.shape(node, 0);
  Shape target = node.opset < 5 ? node.integers("shape").value_or(Shape{}) : b.integers(node, 1);
  if (target.size() > 16) node.fail(fmt::format("the target shape has {} dimensions", target.size()));
  for (std::size_t i = 0; i < target.size(); ++i)
    if (target[i] == 0 && node.integer("allowzero", 0) == 0 && i < x.size()) target[i] = x[i];
  const auto open = std::count(target.begin(), target.end(), -1);
  if (open > 1) node.fail(fmt::format("the target shape {} leaves {} dimensions open", to_string(target), open));
  const std::int64_t known = product(node, target);
  if (open == 1 && element_count(x) % known != 0)
    node.fail(fmt::format("{} elements do not fill the target shape {}", element_count(x), to_string(target)));
  std::replace(target.begin(), target.end(), std::int64_t{-1}, element_count(x) / known);
  b.emit_reshape(node, target);
}

void flatten(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& x = b.shape(node, 0);
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", 1), x.size(), true);
  b.emit_reshape(node,
                 {element_count(Shape(x.begin(), x.begin() + axis)), element_count(Shape(x.begin() + axis, x.end()))});
}

// The axes were an attribute before opset 13 and are an input since.
std::optional<std::vector<std::int64_t>> listed_axes(const OnnxBuilder& b, const OnnxNode& node) {
  if (node.opset < 13) return node.integers("axes");
  return node.has_input(1) ? std::optional(b.integers(node, 1)) : std::nullopt;
}

std::vector<bool> marked_axes(const OnnxNode& node, const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const std::int64_t axis : axes) {
    const std::int64_t i = OnnxBuilder::normalised_axis(node, axis, rank);
    if (marked[i]) node.fail(fmt::format("axis {} is listed twice", axis));
    marked[i] = true;
  }
  return marked;
}

void squeeze(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& x = b.shape(node, 0);
  const auto axes = listed_axes(b, node);
  const std::vector<bool> marked = marked_axes(node, axes.value_or(std::vector<std::int64_t>{}), x.size());
  Shape target;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (marked[i] && x[i] != 1) node.fail(fmt::format("dimension {} has {} elements, expected 1", i, x[i]));
    if (!marked[i] && (axes || x[i] != 1)) target.push_back(x[i]);
  }
  b.emit_reshape(node, target);
}

void unsqueeze(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& x = b.shape(node, 0);
  const auto axes = listed_axes(b, node);
  if (!axes) node.fail("the axes are missing");
  if (axes->size() > 16) node.fail(fmt::format("{} axes are more than a tensor may have", axes->size()));
  const std::vector<bool> marked = marked_axes(node, *axes, x.size() + axes->size());
  Shape target;
  auto next = x.begin();
  for (const bool added : marked) target.push_back(added ? 1 : *next++);
  b.emit_reshape(node, target);
}

void constant(OnnxBuilder& b, const OnnxNode& node) {
  if (const auto* value = node.find("value", AttributeProto::TENSOR)) {
    if (node.proto.output_size() < 1) node.fail("output 0 is missing");
    b.graph.add_tensor(onnx_constant(node.proto.output(0), value->t()));
  } else if (const auto* number = node.find("value_float", AttributeProto::FLOAT)) {
    b.add_known(node, {}, {number->f()}, DataType::kFp32, false);
  } else if (const auto* integer = node.find("value_int", AttributeProto::INT)) {
    b.add_known(node, {}, {static_cast<double>(integer->i())}, DataType::kInt32, true);
  } else if (const auto* numbers = node.find("value_floats", AttributeProto::FLOATS)) {
    b.add_known(node, {numbers->floats_size()}, {numbers->floats().begin(), numbers->floats().end()}, DataType::kFp32,
                false);
  } else if (const auto integers = node.integers("value_ints")) {
    b.add_known(node, {static_cast<std::int64_t>(integers->size())}, {integers->begin(), integers->end()},
                DataType::kInt32, true);
  } else {
    node.fail("has no value of a supported kind");
  }
}

void shape(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& x = b.shape(node, 0);
  const auto rank = static_cast<std::int64_t>(x.size());
  const auto bound = [&](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const std::int64_t start = bound(node.integer("start", 0)), end = bound(node.integer("end", rank));
  if (start >= end) node.fail("selects no dimension");
  std::vector<double> values(x.begin() + start, x.begin() + end);
  b.add_known(node, {end - start}, std::move(values), DataType::kInt32, true);
}

void constant_of_shape(OnnxBuilder& b, const OnnxNode& node) {
  constexpr std::int64_t kMaxElements = 1 << 16;
  const Shape target = b.integers(node, 0);
  const auto* value = node.find("value", AttributeProto::TENSOR);
  Tensor fill{.name = "fill", .shape = {1}, .data = std::vector<double>{0}};
  if (value) fill = onnx_constant("value", value->t());
  if (!fill.data || fill.data->size() != 1) node.fail("the value is not one element");
  if (std::count(target.begin(), target.end(), -1) > 0 || product(node, target) > kMaxElements)
    node.fail(fmt::format("the shape {} is not possible or above {} elements", to_string(target), kMaxElements));
  b.add_known(node, target, std::vector<double>(element_count(target), (*fill.data)[0]), fill.type, fill.is_index);
}

constexpr OnnxConversion kShapeOperators[] = {{"Reshape", reshape},
                                              {"Flatten", flatten},
                                              {"Squeeze", squeeze},
                                              {"Unsqueeze", unsqueeze},
                                              {"Constant", constant},
                                              {"Shape", shape},
                                              {"ConstantOfShape", constant_of_shape}};

}  // namespace

std::span<const OnnxConversion> onnx_shape_operators() { return kShapeOperators; }

}  // namespace tilewright
