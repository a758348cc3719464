// Operators that repeat, pad or rearrange elements: Expand, Tile, Pad, Trilu, DepthToSpace, SpaceToDepth.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

void expand(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(s.expand(b.input(node, 0), b.integers(node, 1)));
}

void tile(OnnxBuilder& b, const OnnxNode& node) {
  constexpr std::int64_t kMaxParts = 16;  // of one Concat; above, elements are gathered
  OnnxSteps s(b, node);
  TensorId x = b.input(node, 0);
  const std::vector<std::int64_t> repeats = b.integers(node, 1);
  if (repeats.size() != s.shape(x).size())
    node.fail(fmt::format("{} repeats for rank {}", repeats.size(), s.shape(x).size()));
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] < 1) node.fail(fmt::format("repeats axis {} {} times", d, repeats[d]));
    const auto axis = static_cast<std::int64_t>(d);
    const std::int64_t length = s.shape(x)[d];
    std::vector<std::int64_t> positions;
    for (std::int64_t i = 0; repeats[d] > kMaxParts && i < repeats[d] * length; ++i) positions.push_back(i % length);
    x = positions.empty() ? s.concat(std::vector<TensorId>(static_cast<std::size_t>(repeats[d]), x), axis)
                          : s.pick(x, axis, positions);
  }
  s.finish(x);
}

struct PadWidths {
  std::vector<std::int64_t> before, after;
};

PadWidths padding_of(const OnnxBuilder& b, const OnnxNode& node) {
  const std::vector<std::int64_t> pads =
      node.has_input(1) ? b.integers(node, 1)
                        : node.integers(node.opset < 2 ? "paddings" : "pads").value_or(std::vector<std::int64_t>{});
  const std::size_t rank = b.rank(node, 0);
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has_input(3)) axes = b.integers(node, 3);
  if (pads.size() != 2 * axes.size()) node.fail(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  PadWidths padding{std::vector<std::int64_t>(rank, 0), std::vector<std::int64_t>(rank, 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = b.normalised_axis(node, axes[i], rank);
    padding.before[axis] = pads[i];
    padding.after[axis] = pads[axes.size() + i];
  }
  return padding;
}

// Position in [0, length) that element `at` outside of it repeats.
std::int64_t source_position(const OnnxNode& node, const std::string& mode, std::int64_t at, std::int64_t length) {
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, length - 1);
  if (mode == "wrap") return (at % length + length) % length;
  if (mode != "reflect") node.fail(fmt::format("mode: got '{}', expected constant|reflect|edge|wrap", mode));
  const std::int64_t turn = std::max<std::int64_t>(1, 2 * (length - 1));
  const std::int64_t place = (at % turn + turn) % turn;
  return place < length ? place : turn - place;
}

TensorId padded_by_copies(OnnxSteps& s, const OnnxNode& node, const std::string& mode, TensorId x,
                          const PadWidths& padding) {
  for (std::size_t d = 0; d < padding.before.size(); ++d) {
    if (padding.before[d] == 0 && padding.after[d] == 0) continue;
    const std::int64_t length = s.shape(x)[d];
    std::vector<std::int64_t> positions;
    for (std::int64_t at = -padding.before[d]; at < length + padding.after[d]; ++at)
      positions.push_back(source_position(node, mode, at, length));
    if (positions.empty()) node.fail(fmt::format("cuts all of axis {} away", d));
    x = s.pick(x, static_cast<std::int64_t>(d), positions);
  }
  return x;
}

void pad(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  TensorId x = b.input(node, 0);
  const PadWidths padding = padding_of(b, node);
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant") return s.finish(padded_by_copies(s, node, mode, x, padding));
  const double value = node.has_input(2) ? b.scalar(node, 2) : node.number("value", 0);
  for (std::size_t d = 0; d < padding.before.size(); ++d)
    x = s.pad(x, static_cast<std::int64_t>(d), padding.before[d], padding.after[d], value);
  s.finish(x);
}

void trilu(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  if (s.shape(x).size() < 2) node.fail("the input is no matrix");
  const std::int64_t rows = s.shape(x)[s.shape(x).size() - 2], columns = s.shape(x).back();
  const std::int64_t diagonal = node.has_input(1) ? b.integers(node, 1).at(0) : 0;
  const bool upper = node.integer("upper", 1) != 0;
  std::vector<double> kept;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      kept.push_back(upper ? column - row >= diagonal : column - row <= diagonal);
  s.finish(s.mask(x, s.constant({rows, columns}, std::move(kept), index_element(ValueType::kBool))));
}

// [N, C, H, W] with blocks of `block` x `block`.
struct Blocks {
  Blocks(OnnxBuilder& b, const OnnxNode& node)
      : x(b.input(node, 0)), block(node.integer("blocksize", 0)), in(b.shape(node, 0)) {
    if (in.size() != 4 || block < 1) node.fail(fmt::format("blocks of {} of shape {}", block, to_string(in)));
  }
  TensorId x;
  std::int64_t block;
  Shape in;
};

void depth_to_space(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const auto [x, n, in] = Blocks(b, node);
  if (in[1] % (n * n) != 0) node.fail(fmt::format("{} channels are no multiple of {}", in[1], n * n));
  const std::int64_t channels = in[1] / (n * n);
  const bool depth_first = node.text("mode", "DCR") == "DCR";
  const Shape apart =
      depth_first ? Shape{in[0], n, n, channels, in[2], in[3]} : Shape{in[0], channels, n, n, in[2], in[3]};
  const TensorId moved = s.transpose(s.reshape(x, apart), depth_first ? std::vector<std::int64_t>{0, 3, 4, 1, 5, 2}
                                                                      : std::vector<std::int64_t>{0, 1, 4, 2, 5, 3});
  s.finish(s.reshape(moved, {in[0], channels, in[2] * n, in[3] * n}));
}

void space_to_depth(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const auto [x, n, in] = Blocks(b, node);
  if (in[2] % n != 0 || in[3] % n != 0) node.fail(fmt::format("blocks of {} do not divide {}", n, to_string(in)));
  const TensorId apart = s.reshape(x, {in[0], in[1], in[2] / n, n, in[3] / n, n});
  s.finish(s.reshape(s.transpose(apart, {0, 3, 5, 1, 2, 4}), {in[0], in[1] * n * n, in[2] / n, in[3] / n}));
}

constexpr OnnxConversion kRepeating[] = {{"Expand", expand},
                                         {"Tile", tile},
                                         {"Pad", pad},
                                         {"Trilu", trilu},
                                         {"DepthToSpace", depth_to_space},
                                         {"SpaceToDepth", space_to_depth}};

}  // namespace

std::span<const OnnxConversion> onnx_repeat_operators() { return kRepeating; }

}  // namespace tilewright
