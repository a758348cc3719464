// What stands between DequantizeLinear and QuantizeLinear, on the quantised values. Rounding to levels keeps the order
// of numbers, so maxima, limits and movements of floats are those of their levels; products are summed in int32 and
// scaled once; sums and products of two tensors are computed in fp32, as their definition has it.
#include <algorithm>
#include <cmath>

#include "planner/import/onnx_int8.h"

namespace tilewright {
namespace {

double nearest_level(const QuantLevel& level, double value) {
  const auto steps = static_cast<double>(static_cast<float>(value) / static_cast<float>(level.scale));
  return std::clamp(std::nearbyint(steps) + level.zero_point, -128.0, 127.0);
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-5 * std::abs(b); }

class IntegerForm {
 public:
  IntegerForm(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node), s_(b, node) {}

  std::optional<TensorId> of(TensorId x, const QuantLevel& level) {
    if (b_.graph.tensor(x).is_index) return std::nullopt;
    if (const OnnxLevels* levels = levels_of(x)) return rescaled(*levels, level);
    const Tensor& tensor = b_.graph.tensor(x);
    if (!tensor.producer) return std::nullopt;
    const Operator op = b_.graph.op(*tensor.producer);
    switch (op.kind) {
      case OpKind::kIdentity:
        return of(op.inputs[0], level);
      case OpKind::kRelu:
        return clipped(op.inputs[0], 0.0, std::nullopt, level);
      case OpKind::kClip:
        return clipped(op.inputs[0], op.attributes.clip_low, op.attributes.clip_high, level);
      case OpKind::kConv:
      case OpKind::kMatMul:
        return requantised(op, level);
      case OpKind::kAdd:
        if (const auto product = biased_product(op, level)) return product;
        return of_two(op, level);
      case OpKind::kSub:
      case OpKind::kMul:
      case OpKind::kMax:
      case OpKind::kMin:
        return of_two(op, level);
      case OpKind::kAveragePool:
        return average(op, level);
      case OpKind::kReduceMean:
        return mean(op, level);
      default:
        return moves_only(op.kind) || op.kind == OpKind::kMaxPool || op.kind == OpKind::kReduceMax
                   ? of_inputs(op, level)
                   : std::nullopt;
    }
  }

  std::optional<TensorId> sums(TensorId x) {
    const Tensor& tensor = b_.graph.tensor(x);
    if (!tensor.producer) return std::nullopt;
    const Operator op = b_.graph.op(*tensor.producer);
    if (op.kind == OpKind::kIdentity) return sums(op.inputs[0]);
    return is_contraction(op.kind) ? sums_of(op) : std::nullopt;
  }

 private:
  const OnnxLevels* levels_of(TensorId x) const {
    if (const auto found = b_.levels.find(x); found != b_.levels.end()) return &found->second;
    const Tensor& tensor = b_.graph.tensor(x);
    if (!tensor.producer || b_.graph.op(*tensor.producer).kind != OpKind::kIdentity) return nullptr;
    return levels_of(b_.graph.op(*tensor.producer).inputs[0]);
  }

  // Of a tensor with one scale.
  std::optional<QuantLevel> level_of(const OnnxLevels* levels) const {
    if (!levels || !is_int8(*levels) || levels->scales.size() != 1) return std::nullopt;
    return QuantLevel{levels->scales[0], levels->zero_points[0]};
  }
  bool is_int8(const OnnxLevels& levels) const { return b_.graph.tensor(levels.values).fixed_type == DataType::kInt8; }

  // An operator of int8 in the place of one of the model.
  TensorId int8(const Operator& op, std::vector<TensorId> inputs, Attributes attributes) {
    const OnnxNode node = named_as(op);
    return OnnxSteps(b_, node).op(op.kind, std::move(inputs), std::move(attributes),
                                  {.target = b_.graph.tensor(op.output).shape, .element = int8_element()});
  }

  std::optional<TensorId> rescaled(const OnnxLevels& levels, const QuantLevel& level) {
    const auto own = level_of(&levels);
    if (!own) return std::nullopt;
    if (*own == level) return levels.values;
    return s_.op(OpKind::kIdentity, {levels.values}, {.levels = {*own, level}}, {.element = int8_element()});
  }

  std::optional<TensorId> clipped(TensorId input, std::optional<double> low, std::optional<double> high,
                                  const QuantLevel& level) {
    const auto values = of(input, level);
    const double least = low ? nearest_level(level, *low) : -128, most = high ? nearest_level(level, *high) : 127;
    if (!values || (least <= -128 && most >= 127)) return values;
    return s_.op(OpKind::kClip, {*values}, {.clip_low = least, .clip_high = most}, {.element = int8_element()});
  }

  std::optional<TensorId> of_inputs(const Operator& op, const QuantLevel& level) {
    std::vector<TensorId> inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const auto input = is_data(role_of(op.kind, i)) ? of(op.inputs[i], level) : op.inputs[i];
      if (!input) return std::nullopt;
      inputs.push_back(*input);
    }
    return int8(op, std::move(inputs), op.attributes);
  }

  std::optional<TensorId> of_two(const Operator& op, const QuantLevel& level) {
    const OnnxLevels *a = levels_of(op.inputs[0]), *b = levels_of(op.inputs[1]);
    const auto level_a = level_of(a), level_b = level_of(b);
    if (!level_a || !level_b) return std::nullopt;
    return int8(op, {a->values, b->values}, {.levels = {*level_a, *level_b, level}});
  }

  // Output channels' dimension of the second operand.
  std::int64_t channels_of_weights(const Operator& op) const {
    if (op.kind == OpKind::kConv) return 0;
    return std::ssize(s_.shape(op.inputs[1])) - (op.attributes.transpose_b ? 2 : 1);
  }

  bool has_form(const Operator& op, const OnnxLevels* x, const OnnxLevels* w) const {
    if (!level_of(x) || !w || !is_int8(*w)) return false;
    const bool per_channel = w->scales.size() > 1, per_zero = w->zero_points.size() > 1;
    if ((per_channel || per_zero) && w->axis != channels_of_weights(op)) return false;
    return op.attributes.alpha == 1 && (op.attributes.beta == 1 || op.inputs.size() < 3);
  }

  // One value, or one for each output channel.
  TensorId per_channel(const Operator& op, std::vector<double> values, const OnnxElement& element) {
    Shape shape;
    if (values.size() > 1) shape.push_back(std::ssize(values));
    if (values.size() > 1 && op.kind == OpKind::kConv) shape.insert(shape.end(), {1, 1});
    return s_.constant(shape, std::move(values), element);
  }

  // In steps of scale x * scale w: as the model has it, else the nearest ones to known floats; negative: neither.
  TensorId bias_of(TensorId bias, std::int64_t channels, double scale_x, const std::vector<double>& scales) {
    if (element_count(s_.shape(bias)) != channels || s_.shape(bias).empty()) return -1;
    const auto step = [&](std::size_t c) { return scale_x * scales[scales.size() > 1 ? c : 0]; };
    if (const OnnxLevels* levels = levels_of(bias); levels && b_.graph.tensor(levels->values).is_index) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
        if (!close(levels->scales[levels->scales.size() > 1 ? c : 0], step(c))) return -1;
      return s_.reshape(levels->values, {channels});
    }
    const Tensor& tensor = b_.graph.tensor(bias);
    if (tensor.kind != TensorKind::kConstant || !tensor.data) return -1;
    std::vector<double> values = *tensor.data;
    for (std::size_t c = 0; c < values.size(); ++c)
      values[c] = std::clamp(std::nearbyint(values[c] / step(c)), -2147483648.0, 2147483647.0);
    return s_.constant({channels}, std::move(values), index_element(ValueType::kInt32));
  }

  // The operators that an operator of the model becomes are named as it.
  OnnxNode named_as(const Operator& op) const { return {node_.proto, op.name, node_.opset}; }

  std::optional<TensorId> sums_of(const Operator& op) {
    const OnnxLevels *x = levels_of(op.inputs[0]), *w = levels_of(op.inputs[1]);
    if (!has_form(op, x, w)) return std::nullopt;
    IntegerProduct product{.kind = op.kind, .attributes = op.attributes, .x = x->values, .w = w->values};
    product.zero_x = s_.constant({}, {x->zero_points[0]}, index_element(ValueType::kInt32));
    product.zero_w = per_channel(op, w->zero_points, index_element(ValueType::kInt32));
    if (op.inputs.size() > 2) {
      const std::int64_t channels = s_.shape(op.inputs[1])[channels_of_weights(op)];
      product.bias = bias_of(op.inputs[2], channels, x->scales[0], w->scales);
      if (product.bias < 0) return std::nullopt;
    }
    return integer_product(b_, named_as(op), std::move(product));
  }

  std::optional<TensorId> requantised(const Operator& op, const QuantLevel& level) {
    const auto sums = sums_of(op);
    if (!sums) return std::nullopt;
    const double scale = levels_of(op.inputs[0])->scales[0] / level.scale;
    std::vector<double> factors = levels_of(op.inputs[1])->scales;
    for (double& factor : factors) factor = static_cast<float>(factor * scale);
    return scaled(op, *sums, per_channel(op, std::move(factors), scale_element()), level);
  }

  TensorId scaled(const Operator& op, TensorId sums, TensorId factors, const QuantLevel& level) {
    const OnnxNode node = named_as(op);
    return OnnxSteps(b_, node).op(OpKind::kRequantize, {sums, factors}, {.zero_point = level.zero_point},
                                  {.element = int8_element()});
  }

  // A matrix product without a bias of its own, and one behind it.
  std::optional<TensorId> biased_product(const Operator& add, const QuantLevel& level) {
    for (const std::size_t i : {0, 1}) {
      const auto producer = b_.graph.tensor(before_identities(add.inputs[i])).producer;
      if (!producer || b_.graph.op(*producer).kind != OpKind::kMatMul) continue;
      Operator product = b_.graph.op(*producer);
      const Shape &bias = s_.shape(add.inputs[1 - i]), &out = s_.shape(product.output);
      if (product.inputs.size() > 2 || bias.empty() || bias.back() != out.back() || s_.shape(add.output) != out)
        continue;
      product.inputs.push_back(add.inputs[1 - i]);
      return requantised(product, level);
    }
    return std::nullopt;
  }

  TensorId before_identities(TensorId x) const {
    const auto producer = b_.graph.tensor(x).producer;
    if (!producer || b_.graph.op(*producer).kind != OpKind::kIdentity) return x;
    return before_identities(b_.graph.op(*producer).inputs[0]);
  }

  // A convolution of each channel with ones, where every window has as many elements.
  std::optional<TensorId> average(const Operator& op, const QuantLevel& level) {
    const auto& pads = op.attributes.pads;
    const bool padded = std::count(pads.begin(), pads.end(), 0) != std::ssize(pads);
    const auto own = level_of(levels_of(op.inputs[0]));
    if (!own || op.attributes.ceil_mode || (padded && !op.attributes.count_include_pad)) return std::nullopt;
    const std::vector<std::int64_t>& window = op.attributes.window;
    const std::int64_t channels = s_.shape(op.inputs[0])[1];
    IntegerProduct product{.kind = OpKind::kConv, .attributes = op.attributes};
    product.attributes.window.clear();
    product.attributes.groups = channels;
    product.x = levels_of(op.inputs[0])->values;
    product.w = s_.filled({channels, 1, window[0], window[1]}, 1, int8_element());
    product.zero_x = s_.constant({}, {own->zero_point}, index_element(ValueType::kInt32));
    const auto sums = integer_product(b_, named_as(op), std::move(product));
    return sums ? divided(op, *sums, window[0] * window[1], *own, level) : sums;
  }

  std::optional<TensorId> mean(const Operator& op, const QuantLevel& level) {
    const OnnxLevels* levels = levels_of(op.inputs[0]);
    const auto own = level_of(levels);
    if (!own) return std::nullopt;
    const OnnxNode node = named_as(op);
    OnnxSteps s(b_, node);
    std::int64_t count = 1;
    for (const std::int64_t axis : op.attributes.axes) count *= s.shape(op.inputs[0])[axis];
    const TensorId sums =
        s.op(OpKind::kReduceSum, {levels->values}, op.attributes, {.element = index_element(ValueType::kInt32)});
    const double zero = own->zero_point * static_cast<double>(count);
    return divided(op, zero == 0 ? sums : s.sub(sums, zero), count, *own, level);
  }

  TensorId divided(const Operator& op, TensorId sums, std::int64_t count, const QuantLevel& from,
                   const QuantLevel& to) {
    const double factor = static_cast<float>(from.scale / (static_cast<double>(count) * to.scale));
    return scaled(op, sums, s_.constant({}, {factor}, scale_element()), to);
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
};

}  // namespace

std::optional<TensorId> integer_form(OnnxBuilder& b, const OnnxNode& node, TensorId x, const QuantLevel& level) {
  return IntegerForm(b, node).of(x, level);
}

std::optional<TensorId> integer_sums(OnnxBuilder& b, const OnnxNode& node, TensorId x) {
  return IntegerForm(b, node).sums(x);
}

}  // namespace tilewright
