// Convolutions and pools. The graph's have two spatial dimensions; those of one run as rows of height 1, a convolution
// over volumes takes the planes under its depth as channels.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMaxWindowValue = std::int64_t{1} << 20;

std::vector<std::int64_t> window_values(const OnnxNode& node, const char* key, std::size_t count,
                                        std::int64_t fallback) {
  const auto values = node.integers(key).value_or(std::vector<std::int64_t>(count, fallback));
  if (values.size() != count) node.fail(fmt::format("{} has {} values, expected {}", key, values.size(), count));
  for (const std::int64_t value : values)
    if (value < fallback || value > kMaxWindowValue) node.fail(fmt::format("{} holds {}", key, value));
  return values;
}

// Padding that makes the output ceil(input / stride) long; an odd element goes to the end (SAME_UPPER) or the begin.
void pad_to_same(const Shape& x, const std::vector<std::int64_t>& window, bool upper, Attributes& a) {
  const std::size_t dims = window.size();
  a.pads.assign(2 * dims, 0);
  for (std::size_t i = 0; i < dims; ++i) {
    const std::int64_t extent = (window[i] - 1) * a.dilations[i] + 1;
    const std::int64_t outputs = (x[2 + i] + a.strides[i] - 1) / a.strides[i];
    const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * a.strides[i] + extent - x[2 + i]);
    a.pads[i] = upper ? total / 2 : total - total / 2;
    a.pads[dims + i] = total - a.pads[i];
  }
}

// Strides, dilations, pads and window of all spatial dimensions.
Attributes window_attributes(const OnnxNode& node, const Shape& x, const std::vector<std::int64_t>& window) {
  const std::size_t dims = window.size();
  if (x.size() != dims + 2 || dims < 1)
    node.fail(fmt::format("input has shape {}, the window {} dimensions", to_string(x), dims));
  Attributes a;
  a.window = window;
  a.strides = window_values(node, "strides", dims, 1);
  a.dilations = window_values(node, "dilations", dims, 1);
  a.pads.assign(2 * dims, 0);
  const std::string mode = node.text("auto_pad", "NOTSET");
  if (mode == "NOTSET") {
    a.pads = window_values(node, "pads", 2 * dims, 0);
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    pad_to_same(x, window, mode == "SAME_UPPER", a);
  } else if (mode != "VALID") {
    node.fail(fmt::format("auto_pad: got '{}', expected NOTSET|SAME_UPPER|SAME_LOWER|VALID", mode));
  }
  return a;
}

// One spatial dimension as two of which the first is 1.
Attributes as_rows(Attributes a) {
  a.window.insert(a.window.begin(), 1);
  a.strides.insert(a.strides.begin(), 1);
  a.dilations.insert(a.dilations.begin(), 1);
  a.pads = {0, a.pads[0], 0, a.pads[1]};
  return a;
}

TensorId with_height(OnnxSteps& s, TensorId x) {
  Shape shape = s.shape(x);
  shape.insert(shape.begin() + 2, 1);
  return s.reshape(x, shape);
}

TensorId without_height(OnnxSteps& s, TensorId x) {
  Shape shape = s.shape(x);
  shape.erase(shape.begin() + 2);
  return s.reshape(x, shape);
}

std::vector<std::int64_t> kernel_of(const OnnxBuilder& b, const OnnxNode& node) {
  const Shape& weights = b.shape(node, 1);
  if (weights.size() < 3) node.fail(fmt::format("weights have shape {}, expected [O, C, ...]", to_string(weights)));
  std::vector<std::int64_t> window(weights.begin() + 2, weights.end());
  const auto declared = node.integers("kernel_shape");
  if (declared && *declared != window)
    node.fail(fmt::format("kernel_shape {} differs from the weights' {}", to_string(*declared), to_string(window)));
  return window;
}

// Weights that are not known are made up for the shape that the machine stores, too.
bool unknown_weights(const OnnxBuilder& b, TensorId w) {
  return b.graph.tensor(w).kind == TensorKind::kConstant && !b.graph.tensor(w).data;
}

// [N, C, D, H, W]: for every output depth the planes that it reads, one behind the other as channels of each group.
class VolumeConv {
 public:
  VolumeConv(OnnxBuilder& b, const OnnxNode& node, const Attributes& a, std::int64_t groups)
      : b_(b), node_(node), s_(b, node), a_(a), groups_(groups) {}

  TensorId run(TensorId x, TensorId w) {
    const Shape in = s_.shape(x), kernel = s_.shape(w);
    const TensorId padded = s_.pad(x, 2, a_.pads[0], a_.pads[3]);
    const std::int64_t extent = (kernel[2] - 1) * a_.dilations[0] + 1, room = s_.shape(padded)[2] - extent;
    if (room < 0 || in[1] % groups_ != 0)
      node_.fail(fmt::format("a kernel {} does not fit input {}", to_string(kernel), to_string(in)));
    const std::int64_t depth = room / a_.strides[0] + 1;
    const TensorId planes = s_.transpose(padded, {0, 2, 1, 3, 4});
    std::vector<TensorId> taps;
    for (std::int64_t t = 0; t < kernel[2]; ++t) {
      const std::int64_t first = t * a_.dilations[0];
      const TensorId tap = s_.slice(planes, 1, first, first + (depth - 1) * a_.strides[0] + 1, a_.strides[0]);
      taps.push_back(s_.reshape(tap, {in[0] * depth, groups_, 1, in[1] / groups_ * in[3] * in[4]}));
    }
    const TensorId images = s_.reshape(s_.concat(std::move(taps), 2), {in[0] * depth, kernel[2] * in[1], in[3], in[4]});
    const TensorId out = s_.op(OpKind::kConv, {images, flat_weights(w)}, plane_attributes());
    const Shape plane = s_.shape(out);
    return s_.transpose(s_.reshape(out, {in[0], depth, plane[1], plane[2], plane[3]}), {0, 2, 1, 3, 4});
  }

 private:
  TensorId flat_weights(TensorId w) {
    const Shape k = s_.shape(w);
    const Shape flat{k[0], k[2] * k[1], k[3], k[4]};
    if (unknown_weights(b_, w)) return b_.add_constant(node_, flat, {}, s_.element(w));
    return s_.reshape(s_.transpose(w, {0, 2, 1, 3, 4}), flat);
  }

  Attributes plane_attributes() const {
    return {.strides = {a_.strides[1], a_.strides[2]},
            .dilations = {a_.dilations[1], a_.dilations[2]},
            .pads = {a_.pads[1], a_.pads[2], a_.pads[4], a_.pads[5]},
            .groups = groups_};
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
  Attributes a_;
  std::int64_t groups_;
};

// With one value for each channel, dimension 1.
TensorId with_bias(OnnxBuilder& b, const OnnxNode& node, OnnxSteps& s, TensorId x) {
  if (!b.has(node, 2)) return x;
  Shape channels(s.shape(x).size() - 1, 1);
  channels[0] = s.shape(x)[1];
  return s.add(x, s.reshape(b.input(node, 2), channels));
}

void conv_of_rows(OnnxBuilder& b, const OnnxNode& node, Attributes a) {
  OnnxSteps s(b, node);
  a = as_rows(a);
  a.window.clear();
  std::vector<TensorId> inputs{with_height(s, b.input(node, 0)), with_height(s, b.input(node, 1))};
  if (b.has(node, 2)) inputs.push_back(b.input(node, 2));
  s.finish(without_height(s, s.op(OpKind::kConv, std::move(inputs), a)));
}

void conv(OnnxBuilder& b, const OnnxNode& node) {
  const std::vector<std::int64_t> window = kernel_of(b, node);
  Attributes a = window_attributes(node, b.shape(node, 0), window);
  a.groups = node.integer("group", 1);
  if (window.size() == 1) return conv_of_rows(b, node, a);
  if (window.size() == 3) {
    OnnxSteps s(b, node);
    if (a.groups < 1) node.fail(fmt::format("{} groups", a.groups));
    const TensorId out = VolumeConv(b, node, a, a.groups).run(b.input(node, 0), b.input(node, 1));
    return s.finish(with_bias(b, node, s, out));
  }
  if (window.size() != 2) node.fail(fmt::format("{} spatial dimensions are not supported", window.size()));
  a.window.clear();
  Operator op{.kind = OpKind::kConv, .inputs = {b.input(node, 0), b.input(node, 1)}, .attributes = a};
  if (b.has(node, 2)) op.inputs.push_back(b.input(node, 2));
  b.emit(node, std::move(op));
}

// Every output element of stride s lies at a phase of s x s; all phases read the same window of inputs. So the weights
// of every phase become channels of one convolution, whose result is spread over the phases and cut to size: the
// multiply-adds of the definition, but for the borders and kernels that the stride does not divide.
class TransposedConv {
 public:
  TransposedConv(OnnxBuilder& b, const OnnxNode& node)
      : b_(b),
        node_(node),
        s_(b, node),
        x_(b.input(node, 0)),
        w_(b.input(node, 1)),
        flat_(s_.shape(x_).size() == 3),
        unknown_(unknown_weights(b, w_)) {
    if (flat_) x_ = with_height(s_, x_), w_ = with_height(s_, w_);
    in_ = s_.shape(x_), kernel_ = s_.shape(w_), groups_ = node.integer("group", 1);
    if (in_.size() != 4 || kernel_.size() != 4) node.fail("one or two spatial dimensions are supported");
    if (groups_ < 1 || in_[1] % groups_ != 0 || kernel_[0] != in_[1])
      node.fail(fmt::format("{} groups, weights {} and input {}", groups_, to_string(kernel_), to_string(in_)));
    strides_ = values("strides", 1), dilations_ = values("dilations", 1), extra_ = values("output_padding", 0);
    for (std::size_t d = 0; d < 2; ++d) {
      extents_[d] = (kernel_[2 + d] - 1) * dilations_[d] + 1;
      set_size(d);
    }
  }

  TensorId run() {
    const Attributes a{.pads = {taps_[0] - 1, taps_[1] - 1, taps_[0] - 1, taps_[1] - 1}, .groups = groups_};
    TensorId out = s_.op(OpKind::kConv, {x_, phase_weights()}, a);
    const std::int64_t channels = kernel_[1] * groups_, sy = strides_[0], sx = strides_[1];
    const std::int64_t rows = s_.shape(out)[2], columns = s_.shape(out)[3];
    out = s_.transpose(s_.reshape(out, {in_[0], channels, sy, sx, rows, columns}), {0, 1, 4, 2, 5, 3});
    out = s_.reshape(out, {in_[0], channels, rows * sy, columns * sx});
    for (std::size_t d = 0; d < 2; ++d)
      out = s_.slice(out, static_cast<std::int64_t>(2 + d), before_[d], before_[d] + size_[d]);
    return flat_ ? without_height(s_, out) : out;
  }

 private:
  std::vector<std::int64_t> values(const char* key, std::int64_t fallback) {
    auto list = window_values(node_, key, flat_ ? 1 : 2, fallback);
    if (flat_) list.insert(list.begin(), fallback);
    return list;
  }

  void set_size(std::size_t d) {
    const std::int64_t stride = strides_[d], full = (in_[2 + d] - 1) * stride + extents_[d];
    std::vector<std::int64_t> pads = window_values(node_, "pads", flat_ ? 2 : 4, 0);
    if (flat_) pads = {0, pads[0], 0, pads[1]};
    const auto asked = node_.integers("output_shape");
    const std::string mode = node_.text("auto_pad", "NOTSET");
    size_[d] = full + extra_[d] - pads[d] - pads[2 + d];
    before_[d] = pads[d];
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") size_[d] = in_[2 + d] * stride;
    if (asked && !(flat_ && d == 0)) size_[d] = asked->at(asked->size() - 2 + d);
    if (asked || mode.starts_with("SAME")) {
      const std::int64_t total = std::max<std::int64_t>(0, full + extra_[d] - size_[d]);
      before_[d] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      if (mode == "NOTSET" || mode == "VALID") before_[d] = total / 2;
    }
    if (size_[d] < 1) node_.fail(fmt::format("pads leave nothing of {} elements", full));
    // As many taps for each phase as the kernel needs, more where the output reaches beyond it.
    taps_[d] = (extents_[d] + stride - 1) / stride;
    while ((in_[2 + d] + taps_[d] - 1) * stride < before_[d] + size_[d]) ++taps_[d];
  }

  // [C, O/g, kh, kw] -> [g * O/g * sy * sx, C/g, ty, tx], turned around.
  TensorId phase_weights() {
    const std::int64_t inputs = in_[1] / groups_, outputs = kernel_[1], sy = strides_[0], sx = strides_[1];
    const Shape phases{groups_ * outputs * sy * sx, inputs, taps_[0], taps_[1]};
    if (unknown_) return b_.add_constant(node_, phases, {}, s_.element(w_));
    TensorId w = w_;
    for (std::size_t d = 0; d < 2; ++d) w = spread(w, d);
    w = s_.reshape(w, {groups_, inputs, outputs, taps_[0], sy, taps_[1], sx});
    for (const std::int64_t axis : {3, 5}) {
      std::vector<std::int64_t> turned(static_cast<std::size_t>(s_.shape(w)[axis]));
      for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = static_cast<std::int64_t>(turned.size() - 1 - i);
      if (turned.size() > 1) w = s_.pick(w, axis, turned);
    }
    return s_.reshape(s_.transpose(w, {0, 2, 4, 6, 1, 3, 5}), phases);
  }

  // Zeros between the elements of a dilated kernel and behind them, up to a multiple of the stride.
  TensorId spread(TensorId w, std::size_t d) {
    const auto axis = static_cast<std::int64_t>(2 + d);
    const std::int64_t length = strides_[d] * taps_[d];
    if (dilations_[d] > 1) {
      Shape apart = s_.shape(w);
      apart.insert(apart.begin() + axis + 1, 1);
      Shape together = s_.shape(w);
      together[axis] *= dilations_[d];
      w = s_.reshape(s_.pad(s_.reshape(w, apart), axis + 1, 0, dilations_[d] - 1), together);
    }
    return s_.pad(w, axis, 0, length - s_.shape(w)[axis]);
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
  TensorId x_, w_;
  bool flat_, unknown_;
  Shape in_, kernel_;
  std::int64_t groups_ = 1;
  std::vector<std::int64_t> strides_, dilations_, extra_;
  std::int64_t extents_[2] = {}, taps_[2] = {}, size_[2] = {}, before_[2] = {};
};

void conv_transpose(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(with_bias(b, node, s, TransposedConv(b, node).run()));
}

// Planes first, then along the depth. Means of means are the mean where all windows count as many elements.
void pool_volumes(OnnxBuilder& b, const OnnxNode& node, OpKind kind, const Attributes& a) {
  OnnxSteps s(b, node);
  const Shape in = b.shape(node, 0);
  const bool padded = std::any_of(a.pads.begin(), a.pads.end(), [](std::int64_t pad) { return pad > 0; });
  if (kind == OpKind::kAveragePool && ((padded && !a.count_include_pad) || a.ceil_mode))
    node.fail("means over volumes whose border counts fewer elements are not supported");
  Attributes plane = a, depth = a;
  for (auto list : {&Attributes::window, &Attributes::strides, &Attributes::dilations}) {
    (plane.*list) = {(a.*list)[1], (a.*list)[2]};
    (depth.*list) = {(a.*list)[0], 1};
  }
  plane.pads = {a.pads[1], a.pads[2], a.pads[4], a.pads[5]};
  depth.pads = {a.pads[0], 0, a.pads[3], 0};
  const TensorId planes = s.op(kind, {s.reshape(b.input(node, 0), {in[0], in[1] * in[2], in[3], in[4]})}, plane);
  const std::int64_t rows = s.shape(planes)[2], columns = s.shape(planes)[3];
  const TensorId out = s.op(kind, {s.reshape(planes, {in[0], in[1], in[2], rows * columns})}, depth);
  s.finish(s.reshape(out, {in[0], in[1], s.shape(out)[2], rows, columns}));
}

void pool(OnnxBuilder& b, const OnnxNode& node, OpKind kind) {
  if (b.has_output(node, 1)) node.fail("the Indices output is not supported");
  const auto window = node.integers("kernel_shape").value_or(std::vector<std::int64_t>{});
  window_values(node, "kernel_shape", b.rank(node, 0) - std::min<std::size_t>(2, b.rank(node, 0)), 1);
  Attributes a = window_attributes(node, b.shape(node, 0), window);
  a.ceil_mode = node.integer("ceil_mode", 0) != 0;
  a.count_include_pad = node.integer("count_include_pad", 0) != 0;
  if (window.size() == 1) {
    OnnxSteps s(b, node);
    return s.finish(without_height(s, s.op(kind, {with_height(s, b.input(node, 0))}, as_rows(a))));
  }
  if (window.size() == 3) return pool_volumes(b, node, kind, a);
  if (window.size() != 2) node.fail(fmt::format("{} spatial dimensions are not supported", window.size()));
  b.emit(node, {.kind = kind, .inputs = {b.input(node, 0)}, .attributes = a});
}

void max_pool(OnnxBuilder& b, const OnnxNode& node) { pool(b, node, OpKind::kMaxPool); }
void average_pool(OnnxBuilder& b, const OnnxNode& node) { pool(b, node, OpKind::kAveragePool); }

void global_pool(OnnxBuilder& b, const OnnxNode& node, OpKind kind) {
  Operator op{.kind = kind, .inputs = {b.input(node, 0)}};
  for (std::size_t i = 2; i < b.rank(node, 0); ++i) op.attributes.axes.push_back(static_cast<std::int64_t>(i));
  if (op.attributes.axes.empty()) node.fail("the input has no spatial dimensions");
  b.emit(node, std::move(op));
}

void global_average_pool(OnnxBuilder& b, const OnnxNode& node) { global_pool(b, node, OpKind::kReduceMean); }
void global_max_pool(OnnxBuilder& b, const OnnxNode& node) { global_pool(b, node, OpKind::kReduceMax); }

constexpr OnnxConversion kWindowOperators[] = {
    {"Conv", conv, 1, 2},          {"ConvTranspose", conv_transpose, 1, 2},    {"MaxPool", max_pool},
    {"AveragePool", average_pool}, {"GlobalAveragePool", global_average_pool}, {"GlobalMaxPool", global_max_pool}};

}  // namespace

std::span<const OnnxConversion> onnx_window_operators() { return kWindowOperators; }

}  // namespace tilewright
