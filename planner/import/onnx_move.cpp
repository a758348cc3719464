// Operators that move elements: Transpose, Concat, Split, Slice, Gather.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/onnx_builder.h"

namespace tilewright {
namespace {

void transpose(OnnxBuilder& b, const OnnxNode& node) {
  std::vector<std::int64_t> reversed(b.shape(node, 0).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  Operator op{.kind = OpKind::kTranspose, .inputs = {b.input(node, 0)}};
  op.attributes.permutation = node.integers("perm").value_or(reversed);
  b.emit(node, std::move(op));
}

void concat(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kConcat};
  for (int i = 0; i < node.proto.input_size(); ++i) op.inputs.push_back(b.input(node, i));
  op.attributes.axis = b.normalised_axis(node, node.integer("axis", 0), b.shape(node, 0).size());
  b.emit(node, std::move(op));
}

// Lengths as given, or as equal as they can be with the last one shorter.
std::vector<std::int64_t> split_lengths(const OnnxBuilder& b, const OnnxNode& node, std::int64_t total) {
  if (node.has_input(1)) return b.integers(node, 1);
  if (const auto lengths = node.integers("split")) return *lengths;
  const std::int64_t outputs = node.proto.output_size();
  const std::int64_t length = (total + outputs - 1) / outputs;
  std::vector<std::int64_t> lengths(outputs, length);
  lengths.back() = total - length * (outputs - 1);
  return lengths;
}

void split(OnnxBuilder& b, const OnnxNode& node) {
  const TensorId x = b.input(node, 0);
  const Shape shape = b.graph.tensor(x).shape;
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", 0), shape.size());
  const std::vector<std::int64_t> lengths = split_lengths(b, node, shape[axis]);
  if (static_cast<int>(lengths.size()) != node.proto.output_size())
    node.fail(fmt::format("{} lengths for {} outputs", lengths.size(), node.proto.output_size()));
  std::int64_t start = 0;
  for (int i = 0; i < node.proto.output_size(); ++i) {
    if (lengths[i] < 1 || lengths[i] > shape[axis] - start)
      node.fail(fmt::format("length {} of part {} does not fit dimension {}", lengths[i], i, shape[axis]));
    Operator op{.name = fmt::format("{}.{}", node.name, i), .kind = OpKind::kSlice, .inputs = {x}};
    op.attributes = {.axes = {axis}, .starts = {start}, .ends = {start + lengths[i]}};
    if (!node.proto.output(i).empty()) b.emit(node, std::move(op), i);
    start += lengths[i];
  }
  if (start != shape[axis]) node.fail(fmt::format("the lengths add up to {}, not to {}", start, shape[axis]));
}

// A list that was an attribute before opset 10 and is an input since.
std::vector<std::int64_t> slice_list(const OnnxBuilder& b, const OnnxNode& node, const char* key, int index,
                                     std::vector<std::int64_t> fallback) {
  if (node.opset < 10) return node.integers(key).value_or(std::move(fallback));
  return node.has_input(index) ? b.integers(node, index) : fallback;
}

std::int64_t clamped(std::int64_t position, std::int64_t length) {
  return std::clamp<std::int64_t>(position < 0 ? position + length : position, 0, length);
}

void slice(OnnxBuilder& b, const OnnxNode& node) {
  const Shape& shape = b.shape(node, 0);
  Operator op{.kind = OpKind::kSlice, .inputs = {b.input(node, 0)}};
  Attributes& a = op.attributes;
  a.starts = slice_list(b, node, "starts", 1, {});
  a.ends = slice_list(b, node, "ends", 2, {});
  std::vector<std::int64_t> leading(a.starts.size());
  std::iota(leading.begin(), leading.end(), 0);
  a.axes = slice_list(b, node, "axes", 3, leading);
  a.steps = slice_list(b, node, "steps", 4, std::vector<std::int64_t>(a.starts.size(), 1));
  if (a.axes.size() != a.starts.size() || a.ends.size() != a.starts.size() || a.steps.size() != a.starts.size())
    node.fail("starts, ends, axes and steps have different lengths");
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    a.axes[i] = b.normalised_axis(node, a.axes[i], shape.size());
    a.starts[i] = clamped(a.starts[i], shape[a.axes[i]]);
    a.ends[i] = clamped(a.ends[i], shape[a.axes[i]]);
  }
  b.emit(node, std::move(op));
}

void gather(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kGather, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes.axis = b.normalised_axis(node, node.integer("axis", 0), b.shape(node, 0).size());
  b.graph.tensor(op.inputs[1]).is_index = true;
  b.emit(node, std::move(op));
}

constexpr OnnxConversion kMoveOperators[] = {
    {"Transpose", transpose}, {"Concat", concat}, {"Split", split}, {"Slice", slice}, {"Gather", gather, 0, 0}};

}  // namespace

std::span<const OnnxConversion> onnx_move_operators() { return kMoveOperators; }

}  // namespace tilewright
