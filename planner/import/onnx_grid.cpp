// GridSample: every position of the output reads its image between pixels, at a point that another tensor gives.
#include <fmt/format.h>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

class GridSample {
 public:
  GridSample(OnnxBuilder& b, const OnnxNode& node)
      : node_(node), s_(b, node), image_(b.input(node, 0)), grid_(b.input(node, 1)) {}

  void convert() {
    take_attributes();
    const Shape x = s_.shape(image_), grid = s_.shape(grid_);
    if (x.size() != 4 || grid.size() != 4 || grid[3] != 2 || grid[0] != x[0])
      node_.fail(fmt::format("image and grid have shapes {} and {}, expected [N, C, H, W] and [N, height, width, 2]",
                             to_string(x), to_string(grid)));
    images_ = x[0], channels_ = x[1], height_ = x[2], width_ = x[3];
    positions_ = {images_, grid[1] * grid[2], 1};
    pixels_ = s_.reshape(s_.transpose(image_, {0, 2, 3, 1}), {images_ * height_ * width_, channels_});
    const TensorId sum = linear_ ? between_pixels() : nearest();
    s_.finish(s_.reshape(s_.transpose(sum, {0, 2, 1}), {images_, channels_, grid[1], grid[2]}));
  }

 private:
  // Along one axis: a pixel's number, and what the pixel counts.
  struct Side {
    TensorId at, weight;
  };

  void take_attributes() {
    const std::string mode = node_.text("mode", "linear");
    linear_ = mode == "linear" || mode == "bilinear";
    if (!linear_ && mode != "nearest")
      node_.fail(fmt::format("mode: got '{}', expected linear, bilinear or nearest", mode));
    padding_ = node_.text("padding_mode", "zeros");
    if (padding_ != "zeros" && padding_ != "border" && padding_ != "reflection")
      node_.fail(fmt::format("padding_mode: got '{}', expected zeros, border or reflection", padding_));
    corners_ = node_.integer("align_corners", 0) != 0;
  }

  // -1 and 1 are the ends of the axis, or with align_corners the middles of the pixels there.
  TensorId coordinate(std::int64_t index, std::int64_t length) {
    const TensorId given = s_.reshape(s_.slice(grid_, 3, index, index + 1), positions_);
    const auto size = static_cast<double>(length);
    const TensorId at = s_.add(s_.mul(given, (corners_ ? size - 1 : size) / 2), (size - 1) / 2);
    if (padding_ == "zeros") return at;
    return within(padding_ == "reflection" ? reflected(at, size) : at, size);
  }

  TensorId within(TensorId at, double size) {
    return s_.op(OpKind::kClip, {at}, {.clip_low = 0, .clip_high = size - 1});
  }

  // Folded back at both ends as often as it takes.
  TensorId reflected(TensorId at, double size) {
    const double low = corners_ ? 0 : -0.5, span = corners_ ? size - 1 : size;
    if (span == 0) return s_.filled(positions_, 0, float_element());
    const TensorId distance = s_.magnitude(s_.sub(at, low));
    const TensorId folds = floor(s_.div(distance, span));
    const TensorId odd = s_.sub(folds, s_.mul(floor(s_.mul(folds, 0.5)), 2.0));
    const TensorId rest = s_.sub(distance, s_.mul(folds, span));
    const TensorId turned = s_.mul(odd, s_.sub(s_.number(span, rest), s_.mul(rest, 2.0)));
    return s_.add(s_.add(rest, turned), low);
  }

  TensorId floor(TensorId x) { return s_.op(OpKind::kFloor, {x}); }

  // A pixel outside counts nothing; its place is that of the nearest one inside.
  Side inside(TensorId at, TensorId weight, std::int64_t length) {
    const auto last = static_cast<double>(length - 1);
    if (padding_ == "zeros") {
      const TensorId low = s_.negation(s_.less(at, s_.number(0, at))),
                     high = s_.negation(s_.less(s_.number(last, at), at));
      weight = s_.mask(weight, s_.min(low, high));
    }
    return {within(at, last + 1), weight};
  }

  std::vector<Side> sides(std::int64_t index, std::int64_t length) {
    const TensorId at = coordinate(index, length), before = floor(at), share = s_.sub(at, before);
    return {inside(before, s_.sub(s_.number(1, share), share), length), inside(s_.add(before, 1.0), share, length)};
  }

  TensorId between_pixels() {
    TensorId sum = -1;
    const std::vector<Side> columns = sides(0, width_), rows = sides(1, height_);
    for (const Side& row : rows)
      for (const Side& column : columns) {
        const TensorId part = s_.mul(pixels_at(row, column), s_.mul(row.weight, column.weight));
        sum = sum < 0 ? part : s_.add(sum, part);
      }
    return sum;
  }

  TensorId nearest() {
    const auto side = [&](std::int64_t index, std::int64_t length) {
      const TensorId at = s_.op(OpKind::kRound, {coordinate(index, length)});
      return inside(at, s_.filled(positions_, 1, float_element()), length);
    };
    const Side column = side(0, width_), row = side(1, height_);
    const TensorId pixels = pixels_at(row, column);
    return padding_ == "zeros" ? s_.mul(pixels, s_.mul(row.weight, column.weight)) : pixels;
  }

  // [images, positions, channels]
  TensorId pixels_at(const Side& row, const Side& column) {
    const TensorId place = s_.cast(s_.add(s_.mul(row.at, static_cast<double>(width_)), column.at), index_element());
    std::vector<double> starts;
    for (std::int64_t image = 0; image < images_; ++image)
      starts.push_back(static_cast<double>(image * height_ * width_));
    const TensorId first = s_.constant({images_, 1, 1}, std::move(starts), index_element());
    const TensorId joined = s_.reshape(images_ > 1 ? s_.add(place, first) : place, {images_, positions_[1]});
    return s_.gather(pixels_, joined, 0);
  }

  const OnnxNode& node_;
  OnnxSteps s_;
  const TensorId image_, grid_;
  bool linear_ = true, corners_ = false;
  std::string padding_;
  std::int64_t images_ = 1, channels_ = 1, height_ = 1, width_ = 1;
  Shape positions_;
  TensorId pixels_ = -1;  // rows of channels
};

void grid_sample(OnnxBuilder& b, const OnnxNode& node) { GridSample(b, node).convert(); }

constexpr OnnxConversion kGrid[] = {{"GridSample", grid_sample}};

}  // namespace

std::span<const OnnxConversion> onnx_grid_operators() { return kGrid; }

}  // namespace tilewright
