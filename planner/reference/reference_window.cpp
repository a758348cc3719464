// Convolution and pooling on [N, C, H, W].
#include <algorithm>
#include <limits>

#include "planner/graph/window.h"
#include "planner/reference/reference_kinds.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

// Input position of tap `t` at placement `o`; outside [0, length) it lies in the padding.
std::int64_t position(const Window::Axis& axis, std::int64_t o, std::int64_t t) {
  return o * axis.stride - axis.pad_begin + t * axis.dilation;
}

// What one group of one image reads: `x` points at its first channel.
struct ConvView {
  const Window& window;
  const double* x;
  std::int64_t channels, height, width, out_width;
  double padding;  // the value of what lies outside
};

double sample(const ConvView& v, std::int64_t channel, std::int64_t y, std::int64_t x) {
  const bool inside = y >= 0 && y < v.height && x >= 0 && x < v.width;
  return inside ? v.x[(channel * v.height + y) * v.width + x] : v.padding;
}

// The input values under `width` output positions from `first` on, one panel row per weight.
void pack_positions(const ConvView& v, std::int64_t first, int width, TensorValues& panel) {
  const auto& [rows, columns] = v.window.axes;
  double* target = panel.data();
  for (std::int64_t c = 0; c < v.channels; ++c)
    for (std::int64_t i = 0; i < rows.size; ++i)
      for (std::int64_t j = 0; j < columns.size; ++j, target += kPanelWidth)
        for (int p = 0; p < width; ++p)
          target[p] = sample(v, c, position(rows, (first + p) / v.out_width, i),
                             position(columns, (first + p) % v.out_width, j));
}

void add_bias(const TensorValues& bias, const Shape& out, TensorValues& result) {
  const std::int64_t plane = out[2] * out[3];
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += bias[static_cast<std::int64_t>(i) / plane % out[1]];
}

struct PoolSum {
  double sum = 0, maximum = -std::numeric_limits<double>::infinity();
  std::int64_t inside = 0, padded = 0;  // taps on the input, and on the input and its padding
};

bool within_padding(const Window::Axis& axis, std::int64_t at, std::int64_t length) {
  return at >= -axis.pad_begin && at < length + axis.pad_end;
}

PoolSum pool_at(const Window& window, const double* plane, const Shape& in, std::int64_t oy, std::int64_t ox) {
  const auto& [rows, columns] = window.axes;
  PoolSum pool;
  for (std::int64_t i = 0; i < rows.size; ++i)
    for (std::int64_t j = 0; j < columns.size; ++j) {
      const std::int64_t y = position(rows, oy, i), x = position(columns, ox, j);
      pool.padded += within_padding(rows, y, in[2]) && within_padding(columns, x, in[3]);
      if (y < 0 || y >= in[2] || x < 0 || x >= in[3]) continue;
      ++pool.inside;
      pool.sum += plane[y * in[3] + x];
      pool.maximum = std::max(pool.maximum, plane[y * in[3] + x]);
    }
  return pool;
}

double pooled_value(const Operator& op, const PoolSum& pool) {
  if (op.kind == OpKind::kMaxPool) return pool.maximum;
  const std::int64_t taps = op.attributes.count_include_pad ? pool.padded : pool.inside;
  return taps == 0 ? 0.0 : pool.sum / static_cast<double>(taps);
}

// Of a convolution without groups: filters [O, C, kh, kw].
void scale_filters(TensorValues& filters, const Shape& shape, const TensorValues& factors) {
  const std::int64_t kernel = shape[2] * shape[3];
  for (std::int64_t i = 0; i < std::ssize(filters); ++i) filters[i] *= factors[i / kernel % shape[1]];
}

}  // namespace

TensorValues reference_conv(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const Shape& x = in[0].shape;
  const Window window = window_of(graph, op);
  const std::int64_t groups = op.attributes.groups;
  const std::int64_t taps = element_count(in[1].shape) / out[1], plane = out[2] * out[3], filters = out[1] / groups;
  TensorValues result(element_count(out)), panel(taps * kPanelWidth, 0.0), scaled;
  if (op.attributes.channel_factors) scale_filters(scaled = in[1].values, in[1].shape, in[2].values);
  const TensorValues& all_weights = op.attributes.channel_factors ? scaled : in[1].values;
  for (std::int64_t image_group = 0; image_group < x[0] * groups; ++image_group) {
    check_stop();
    const std::int64_t channels = x[1] / groups;
    const ConvView view = {window,
                           in[0].values.data() + image_group * channels * x[2] * x[3],
                           channels,
                           x[2],
                           x[3],
                           out[3],
                           op.attributes.pad_value};
    const double* weights = all_weights.data() + image_group % groups * filters * taps;
    double* target = result.data() + image_group * filters * plane;
    for (std::int64_t first = 0; first < plane; first += kPanelWidth) {
      check_stop();
      const int width = static_cast<int>(std::min<std::int64_t>(kPanelWidth, plane - first));
      pack_positions(view, first, width, panel);
      panel_product(weights, taps, panel.data(), filters, taps, width, target + first, plane);
    }
  }
  if (in.size() > 2 && !op.attributes.channel_factors) add_bias(in[2].values, out, result);
  return result;
}

TensorValues reference_pool(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const Window window = window_of(graph, op);
  const Shape& x = in[0].shape;
  TensorValues result;
  result.reserve(element_count(out));
  for (std::int64_t plane = 0; plane < out[0] * out[1]; ++plane)
    for (std::int64_t oy = 0; oy < out[2]; ++oy)
      for (std::int64_t ox = 0; ox < out[3]; ++ox)
        result.push_back(pooled_value(op, pool_at(window, in[0].values.data() + plane * x[2] * x[3], x, oy, ox)));
  return result;
}

}  // namespace tilewright
