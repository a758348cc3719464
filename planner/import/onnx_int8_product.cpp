// Products of int8 with sums in int32. The zero points leave the sum: (x - a)(w - b) sums to xw - a * w - b * (x - a),
// where the sum of w is known of weights and becomes part of the bias.
#include <algorithm>
#include <cmath>

#include "planner/import/onnx_int8.h"

namespace tilewright {
namespace {

class ProductSteps {
 public:
  ProductSteps(OnnxBuilder& b, const OnnxNode& node, IntegerProduct product)
      : b_(b), s_(b, node), p_(std::move(product)) {}

  std::optional<TensorId> run() {
    take_zero_of_weights();
    const bool x_moved = is_moved(p_.zero_x), w_moved = is_moved(p_.zero_w);
    if (w_moved && is_conv() && p_.attributes.groups != 1) return std::nullopt;
    if (x_moved && !pad_with_zero_point()) return std::nullopt;
    TensorId behind = x_moved ? take_zero_of_input() : -1;
    if (w_moved) {
      const TensorId more = s_.mul(window_sums(x_moved), p_.zero_w);
      behind = behind < 0 ? more : s_.add(behind, more);
    }
    const TensorId sums = multiply();
    return behind < 0 ? sums : s_.sub(sums, behind);
  }

 private:
  bool is_conv() const { return p_.kind == OpKind::kConv; }
  static OnnxElement sum_element() { return index_element(ValueType::kInt32); }

  std::optional<std::vector<double>> data(TensorId id) const {
    return b_.graph.tensor(id).kind == TensorKind::kConstant ? b_.graph.tensor(id).data : std::nullopt;
  }

  bool is_moved(TensorId zero) const {
    if (zero < 0) return false;
    const auto values = data(zero);
    return !values || std::any_of(values->begin(), values->end(), [](double value) { return value != 0; });
  }

  // Known weights less their zero point, where that is int8 again.
  void take_zero_of_weights() {
    if (!is_moved(p_.zero_w)) return;
    const auto weights = data(p_.w), zero = data(p_.zero_w);
    if (!weights || !zero || zero->size() != 1) return;
    std::vector<double> values = *weights;
    for (double& value : values) value -= zero->front();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*low < -128 || *high > 127) return;
    p_.w = s_.constant(s_.shape(p_.w), std::move(values), int8_element());
    p_.zero_w = -1;
  }

  // What lies outside of a convolution's input is zero, so it holds the zero point.
  bool pad_with_zero_point() {
    const auto& pads = p_.attributes.pads;
    if (!is_conv() || std::count(pads.begin(), pads.end(), 0) == std::ssize(pads)) return true;
    const auto zero = data(p_.zero_x);
    if (!zero) return false;
    p_.attributes.pad_value = zero->front();
    return true;
  }

  // Dimensions of a matrix product's operands that it sums over.
  std::int64_t summed_of_x() const { return std::ssize(s_.shape(p_.x)) - (p_.attributes.transpose_a ? 2 : 1); }
  std::int64_t summed_of_w() const { return std::ssize(s_.shape(p_.w)) - (p_.attributes.transpose_b ? 1 : 2); }

  TensorId sum_of_weights() {
    if (is_conv())
      return s_.op(OpKind::kReduceSum, {p_.w}, {.axes = {1, 2, 3}, .keepdims = false}, {.element = sum_element()});
    const std::int64_t axis = summed_of_w();
    const bool vector = s_.shape(p_.w).size() == 2;
    return s_.op(OpKind::kReduceSum, {p_.w}, {.axes = {axis}, .keepdims = !vector}, {.element = sum_element()});
  }

  // As part of the bias, which is what is left to take off behind the product: nothing; else that.
  TensorId take_zero_of_input() {
    const TensorId sums = s_.mul(sum_of_weights(), p_.zero_x);
    const bool vector = s_.shape(sums).size() == 1 && element_count(s_.shape(p_.zero_x)) == 1;
    if (!vector) return sums;
    p_.bias = p_.bias < 0 ? s_.neg(sums) : s_.sub(p_.bias, sums);
    return -1;
  }

  // Of x less its zero point, over what each result sums.
  TensorId window_sums(bool x_moved) {
    const Shape& w = s_.shape(p_.w);
    const auto terms = static_cast<double>(is_conv() ? w[1] * w[2] * w[3] : w[summed_of_w()]);
    TensorId sums;
    if (is_conv()) {
      const TensorId ones = s_.filled({1, w[1], w[2], w[3]}, 1, int8_element());
      sums = s_.op(OpKind::kConv, {p_.x, ones}, p_.attributes, {.element = sum_element()});
    } else {
      const std::int64_t axis = summed_of_x();
      sums = s_.op(OpKind::kReduceSum, {p_.x}, {.axes = {axis}}, {.element = sum_element()});
      if (p_.attributes.transpose_a) sums = transposed(sums);
    }
    return x_moved ? s_.sub(sums, s_.mul(p_.zero_x, terms)) : sums;
  }

  // Sums over the rows of a matrix as a column.
  TensorId transposed(TensorId sums) {
    Shape shape = s_.shape(sums);
    std::swap(shape.back(), shape[shape.size() - 2]);
    return s_.reshape(sums, shape);
  }

  TensorId multiply() {
    std::vector<TensorId> inputs{p_.x, p_.w};
    if (p_.bias >= 0) inputs.push_back(p_.bias);
    return s_.op(p_.kind, std::move(inputs), p_.attributes, {.element = sum_element()});
  }

  OnnxBuilder& b_;
  OnnxSteps s_;
  IntegerProduct p_;
};

}  // namespace

double int8_zero_point(ValueType type, double zero_point) {
  return type == ValueType::kUint8 ? zero_point - 128 : zero_point;
}

TensorId as_int8(OnnxBuilder& b, const OnnxNode& node, TensorId x) {
  if (b.graph.tensor(x).fixed_type == DataType::kInt8) return x;
  if (const auto found = b.int8_of.find(x); found != b.int8_of.end()) return found->second;
  OnnxSteps s(b, node);
  const Tensor tensor = b.graph.tensor(x);
  const bool lowered = tensor.value_type == ValueType::kUint8;
  TensorId id;
  if (tensor.kind == TensorKind::kConstant) {
    auto values = tensor.data;
    if (values && lowered)
      for (double& value : *values) value -= 128;
    id = b.add_constant(node, tensor.shape, std::move(values), int8_element());
  } else if (lowered) {
    id = s.op(OpKind::kSub, {x, s.number(128, x)}, {}, {.element = int8_element()});
  } else {
    id = s.op(OpKind::kCast, {x}, {}, {.element = int8_element()});
  }
  return b.int8_of[x] = id;
}

std::optional<TensorId> integer_product(OnnxBuilder& b, const OnnxNode& node, IntegerProduct product) {
  return ProductSteps(b, node, std::move(product)).run();
}

}  // namespace tilewright
