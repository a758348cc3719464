// Resize and Upsample: nearest neighbours are gathered along each axis; linear and cubic interpolation along an axis is
// a product with the matrix of its weights, as compilers for matrix units have it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

struct Axis {
  std::int64_t in = 1, out = 1;
  double scale = 1;
};

struct Resizing {
  std::string mode, coordinates, nearest;
  double cubic_a = -0.75;
  bool exclude_outside = false;
};

// Where output position `at` lies in the input.
double source_of(const OnnxNode& node, const Resizing& r, const Axis& axis, std::int64_t at) {
  const double x = static_cast<double>(at);
  const std::string& c = r.coordinates;
  if (c == "half_pixel") return (x + 0.5) / axis.scale - 0.5;
  if (c == "pytorch_half_pixel") return axis.out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  if (c == "asymmetric") return x / axis.scale;
  const double scaled = static_cast<double>(axis.in) * axis.scale;  // before it is rounded to the output's length
  if (c == "align_corners") return axis.out > 1 ? x * static_cast<double>(axis.in - 1) / (scaled - 1) : 0;
  if (c == "half_pixel_symmetric") {
    const double centre = static_cast<double>(axis.in) / 2;
    return centre * (1 - static_cast<double>(axis.out) / scaled) + (x + 0.5) / axis.scale - 0.5;
  }
  node.fail(fmt::format("coordinate_transformation_mode '{}' is not supported", c));
}

std::int64_t nearest_of(const OnnxNode& node, const Resizing& r, double at) {
  if (r.nearest == "floor") return static_cast<std::int64_t>(std::floor(at));
  if (r.nearest == "ceil") return static_cast<std::int64_t>(std::ceil(at));
  if (r.nearest == "round_prefer_floor") return static_cast<std::int64_t>(std::ceil(at - 0.5));
  if (r.nearest == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(at + 0.5));
  node.fail(fmt::format("nearest_mode '{}' is not known", r.nearest));
}

// Weight of an input at distance `d`: Keys' cubic, or the hat of linear interpolation.
double weight_at(const Resizing& r, double d) {
  d = std::abs(d);
  if (r.mode == "linear") return std::max(0.0, 1 - d);
  const double a = r.cubic_a;
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

// [in, out]: what every input position adds to every output position. Beyond the borders the border repeats.
std::vector<double> weights_of(const OnnxNode& node, const Resizing& r, const Axis& axis) {
  std::vector<double> matrix(static_cast<std::size_t>(axis.in * axis.out), 0);
  for (std::int64_t out = 0; out < axis.out; ++out) {
    const double at = source_of(node, r, axis, out);
    const auto first = static_cast<std::int64_t>(std::floor(at)) - 1;
    double sum = 0;
    for (std::int64_t in = first; in < first + 4; ++in) {
      const bool inside = in >= 0 && in < axis.in;
      const double weight = inside || !r.exclude_outside ? weight_at(r, at - static_cast<double>(in)) : 0;
      matrix[std::clamp<std::int64_t>(in, 0, axis.in - 1) * axis.out + out] += weight;
      sum += weight;
    }
    for (std::int64_t in = 0; r.exclude_outside && in < axis.in; ++in) matrix[in * axis.out + out] /= sum;
  }
  return matrix;
}

TensorId interpolated(OnnxSteps& s, TensorId x, std::int64_t dimension, const Axis& axis, std::vector<double> weights) {
  std::vector<std::int64_t> order(s.shape(x).size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[dimension], order.back());
  const TensorId matrix = s.constant({axis.in, axis.out}, std::move(weights), s.element(x));
  const TensorId last = s.transpose(x, order);
  const bool vector = order.size() == 1;
  const TensorId product = s.matmul(vector ? s.reshape(last, {1, axis.in}) : last, matrix);
  return vector ? s.reshape(product, {axis.out}) : s.transpose(product, order);
}

TensorId resized(OnnxSteps& s, const OnnxNode& node, const Resizing& r, TensorId x, const std::vector<Axis>& axes) {
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const auto dimension = static_cast<std::int64_t>(d);
    if (axes[d].in == axes[d].out && axes[d].scale == 1) continue;
    if (r.mode != "nearest") {
      x = interpolated(s, x, dimension, axes[d], weights_of(node, r, axes[d]));
      continue;
    }
    std::vector<std::int64_t> positions;
    for (std::int64_t at = 0; at < axes[d].out; ++at)
      positions.push_back(
          std::clamp<std::int64_t>(nearest_of(node, r, source_of(node, r, axes[d], at)), 0, axes[d].in - 1));
    x = s.pick(x, dimension, positions);
  }
  return x;
}

std::vector<Axis> axes_of(const OnnxNode& node, const Shape& in, const std::vector<double>& scales,
                          const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& listed) {
  if (scales.size() + sizes.size() != listed.size())
    node.fail(fmt::format("{} scales and {} sizes for {} axes", scales.size(), sizes.size(), listed.size()));
  std::vector<Axis> axes(in.size());
  for (std::size_t d = 0; d < in.size(); ++d) axes[d] = {in[d], in[d], 1};
  for (std::size_t i = 0; i < listed.size(); ++i) {
    Axis& axis = axes[OnnxBuilder::normalised_axis(node, listed[i], in.size())];
    axis.scale = sizes.empty() ? scales[i] : static_cast<double>(sizes[i]) / static_cast<double>(axis.in);
    axis.out =
        sizes.empty() ? static_cast<std::int64_t>(std::floor(static_cast<double>(axis.in) * scales[i])) : sizes[i];
    if (!(axis.scale > 0) || axis.out < 1 || axis.out > (std::int64_t{1} << 31))
      node.fail(fmt::format("scales an axis of {} by {}", axis.in, axis.scale));
  }
  return axes;
}

std::vector<std::int64_t> listed_axes(const OnnxNode& node, std::size_t rank) {
  std::vector<std::int64_t> all(rank);
  std::iota(all.begin(), all.end(), 0);
  return node.integers("axes").value_or(all);
}

void resize(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  Resizing r{node.text("mode", "nearest"), node.text("coordinate_transformation_mode", "half_pixel"),
             node.text("nearest_mode", "round_prefer_floor"), node.number("cubic_coeff_a", -0.75),
             node.integer("exclude_outside", 0) != 0};
  if (node.opset < 11) r.coordinates = "asymmetric", r.nearest = "floor";
  if (r.mode != "nearest" && r.mode != "linear" && r.mode != "cubic")
    node.fail(fmt::format("mode: got '{}', expected nearest|linear|cubic", r.mode));
  if (node.integer("antialias", 0) != 0) node.fail("antialias is not supported");
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    node.fail("keep_aspect_ratio_policy is not supported");
  const int scales_at = node.opset < 11 ? 1 : 2;
  const std::vector<double> scales = node.has_input(scales_at) ? b.values(node, scales_at) : std::vector<double>{};
  const std::vector<std::int64_t> sizes = b.has(node, 3) ? b.integers(node, 3) : std::vector<std::int64_t>{};
  s.finish(resized(s, node, r, x,
                   axes_of(node, s.shape(x), sizes.empty() ? scales : std::vector<double>{}, sizes,
                           listed_axes(node, s.shape(x).size()))));
}

void upsample(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  const TensorId x = b.input(node, 0);
  const std::string mode = node.text("mode", "nearest");
  const Resizing r{mode == "bilinear" ? "linear" : mode, "asymmetric", "floor"};
  if (r.mode != "nearest" && r.mode != "linear")
    node.fail(fmt::format("mode: got '{}', expected nearest|linear", mode));
  std::vector<double> scales;
  if (node.has_input(1))
    scales = b.values(node, 1);
  else if (const auto* list = node.find("scales", onnx::AttributeProto::FLOATS))
    scales.assign(list->floats().begin(), list->floats().end());
  s.finish(resized(s, node, r, x, axes_of(node, s.shape(x), scales, {}, listed_axes(node, s.shape(x).size()))));
}

constexpr OnnxConversion kResizing[] = {{"Resize", resize}, {"Upsample", upsample}};

}  // namespace

std::span<const OnnxConversion> onnx_resize_operators() { return kResizing; }

}  // namespace tilewright
