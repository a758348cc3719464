// Operators that move elements: Transpose, Concat, Split, Slice.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/onnx_steps.h"

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
  OnnxSteps s(b, node);
  std::vector<TensorId> parts;
  for (int i = 0; i < node.proto.input_size(); ++i)
    if (b.has(node, i) || !node.has_input(i)) parts.push_back(b.input(node, i));
  if (parts.empty()) return b.add_known(node, {0}, {}, index_element());
  const std::int64_t axis = b.normalised_axis(node, node.integer("axis", 0), s.shape(parts[0]).size());
  if (parts.size() == 1) return s.finish(parts[0]);
  b.emit(node, {.kind = OpKind::kConcat, .inputs = parts, .attributes = {.axis = axis}});
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

// Of one axis, as positions that are there.
struct Cut {
  std::int64_t axis = 0, start = 0, end = 0, step = 1;

  std::int64_t count() const { return std::max<std::int64_t>(0, (end - start + step - (step > 0 ? 1 : -1)) / step); }
};

// Forwards from [0, length] to [0, length], backwards from [0, length) down to -1.
Cut checked_cut(const OnnxNode& node, Cut cut, std::int64_t length) {
  if (cut.step == 0) node.fail("a step is 0");
  const std::int64_t low = cut.step > 0 ? 0 : -1, high = cut.step > 0 ? length : length - 1;
  cut.start = std::clamp(cut.start < 0 ? cut.start + length : cut.start, std::max<std::int64_t>(0, low), high);
  cut.end = std::clamp(cut.end < 0 ? cut.end + length : cut.end, low, high);
  return cut;
}

std::vector<Cut> cuts_of(const OnnxBuilder& b, const OnnxNode& node) {
  const auto starts = slice_list(b, node, "starts", 1, {}), ends = slice_list(b, node, "ends", 2, {});
  std::vector<std::int64_t> leading(starts.size());
  std::iota(leading.begin(), leading.end(), 0);
  const auto axes = slice_list(b, node, "axes", 3, leading);
  const auto steps = slice_list(b, node, "steps", 4, std::vector<std::int64_t>(starts.size(), 1));
  if (axes.size() != starts.size() || ends.size() != starts.size() || steps.size() != starts.size())
    node.fail("starts, ends, axes and steps have different lengths");
  std::vector<Cut> cuts;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = b.normalised_axis(node, axes[i], b.rank(node, 0));
    cuts.push_back(checked_cut(node, {axis, starts[i], ends[i], steps[i]}, b.shape(node, 0)[axis]));
  }
  return cuts;
}

// Nothing is left where a range is empty.
bool cuts_all(OnnxBuilder& b, const OnnxNode& node, const std::vector<Cut>& cuts) {
  Shape shape = b.shape(node, 0);
  for (const Cut& cut : cuts) shape[cut.axis] = cut.count();
  if (std::count(shape.begin(), shape.end(), 0) == 0) return false;
  b.add_known(node, shape, {}, element_of(b.graph.tensor(b.input(node, 0))));
  return true;
}

void slice(OnnxBuilder& b, const OnnxNode& node) {
  const std::vector<Cut> cuts = cuts_of(b, node);
  if (cuts_all(b, node, cuts)) return;
  OnnxSteps s(b, node);
  Operator op{.kind = OpKind::kSlice, .inputs = {b.input(node, 0)}};
  Attributes& a = op.attributes;
  for (const Cut& cut : cuts) {
    if (cut.step > 0) {
      a.axes.push_back(cut.axis), a.starts.push_back(cut.start), a.ends.push_back(cut.end), a.steps.push_back(cut.step);
      continue;
    }
    std::vector<std::int64_t> positions;
    for (std::int64_t at = cut.start; at > cut.end; at += cut.step) positions.push_back(at);
    op.inputs[0] = s.pick(op.inputs[0], cut.axis, positions);
  }
  if (a.axes.empty()) return s.finish(op.inputs[0]);
  b.emit(node, std::move(op));
}

constexpr OnnxConversion kMoveOperators[] = {
    {"Transpose", transpose}, {"Concat", concat}, {"Split", split}, {"Slice", slice}};

}  // namespace

std::span<const OnnxConversion> onnx_move_operators() { return kMoveOperators; }

}  // namespace tilewright
