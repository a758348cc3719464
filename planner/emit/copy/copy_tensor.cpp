#include "planner/emit/copy/copy_tensor.h"

#include <algorithm>
#include <optional>

#include "planner/ir/access.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// A piece as an array of its own: element strides, and the coordinate along the split dimension that it begins at.
struct PieceArray {
  PieceArray(const PlacedView& view, std::size_t index, int element_bytes)
      : place(view.pieces[index].address / element_bytes),
        dimension(static_cast<std::size_t>(view.split_dimension)),
        range(view.pieces[index].range),
        stride(view.strides_of(index)) {}

  std::int64_t place;
  std::size_t dimension;
  Range range;
  std::vector<std::int64_t> stride;

  std::int64_t origin(std::size_t d) const { return d == dimension ? range.begin : 0; }
};

// Output coordinates whose source lies in `piece`.
Range sourced_from(const PieceArray& piece, const AxisSource& axis, Range part) {
  if (axis.input != piece.dimension) return part;
  const auto first_from = [&](std::int64_t at) { return at <= axis.start ? 0 : ceil_div(at - axis.start, axis.step); };
  return {std::max(part.begin, first_from(piece.range.begin)), std::min(part.end, first_from(piece.range.end))};
}

std::optional<CopyBox> box_between(const PieceArray& from, const PieceArray& to, const std::vector<AxisSource>& axes,
                                   const BoxRange& part) {
  CopyBox box{from.place, to.place, {}};
  for (std::size_t d = 0; d < axes.size(); ++d) {
    Range range = sourced_from(from, axes[d], part[d]);
    if (d == to.dimension) range = {std::max(range.begin, to.range.begin), std::min(range.end, to.range.end)};
    if (range.begin >= range.end) return std::nullopt;
    const std::int64_t read = from.stride[axes[d].input], write = to.stride[d];
    box.read += (axes[d].start + axes[d].step * range.begin - from.origin(axes[d].input)) * read;
    box.write += (range.begin - to.origin(d)) * write;
    box.loops.push_back({range.size(), axes[d].step * read, write});
  }
  return folded(std::move(box));
}

std::vector<PieceArray> pieces_of(const Plan& plan, TensorId tensor) {
  const PlacedView view = placed_view(plan, tensor);
  std::vector<PieceArray> pieces;
  for (std::size_t i = 0; i < view.pieces.size(); ++i)
    pieces.emplace_back(view, i, bytes_of(plan.tensors[tensor].type));
  return pieces;
}

}  // namespace

std::vector<CopyBox> boxes_between(const Plan& plan, TensorId input, TensorId output,
                                   const std::vector<AxisSource>& axes, const BoxRange& part) {
  SIM_CHECK(axes.size() == part.size(), "{} axes for {} dimensions", axes.size(), part.size());
  std::vector<CopyBox> boxes;
  const std::vector<PieceArray> sources = pieces_of(plan, input), targets = pieces_of(plan, output);
  for (const PieceArray& to : targets)
    for (const PieceArray& from : sources)
      if (auto box = box_between(from, to, axes, part)) boxes.push_back(std::move(*box));
  return boxes;
}

}  // namespace tilewright
