// Operators that rename dimensions.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/onnx_builder.h"
#include "planner/import/onnx_tensor.h"
#include "sim/base/checked.h"

namespace tilewright {
namespace {

std::int64_t product(const OnnxNode& node, const Shape& shape) {
  const auto refuse = [&] { node.fail(fmt::format("the target shape {} is not possible", to_string(shape))); };
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 1 && dim != -1) refuse();
    if (dim != -1) count = checked_product(count, dim, refuse);
  }
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

constexpr OnnxConversion kShapeOperators[] = {
    {"Reshape", reshape}, {"Flatten", flatten}, {"Squeeze", squeeze}, {"Unsqueeze", unsqueeze}};

}  // namespace

std::span<const OnnxConversion> onnx_shape_operators() { return kShapeOperators; }

}  // namespace tilewright
