// Random small networks as quantisers write them: DequantizeLinear, operator, QuantizeLinear, with scales for each
// tensor or each channel and zero points, int8 or uint8.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/random_draws.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright::test {

class RandomQuantised : public RandomDraws {
 public:
  using RandomDraws::RandomDraws;

  // What QuantizeLinear makes a level of int8 or uint8 of.
  struct Rounded {
    std::string from, to;
    double scale = 1, zero = 0, low = -128;
  };
  struct Model {
    std::string text;              // with all tensors that are rounded, and what they are rounded to, as outputs
    std::string network;           // with its own output alone
    std::vector<Rounded> rounded;  // but for the first, the network's input
  };

  Model next() {
    nodes_.clear(), initializers_.clear(), rounded_.clear();
    count_ = 0;
    uint8_ = flip();
    Value x{"x", {between(1, 2), between(1, 9), between(3, 14), between(3, 14)}, "", 1};
    const Shape input = x.shape;
    std::vector<Value> values{quantised(x, 0.02)};
    for (std::int64_t i = between(1, 4); i > 0; --i) values.push_back(layer(values));
    Value last = values.back();
    if (flip()) last = head(last);
    const auto io = [&](const std::vector<std::string>& outputs) {
      std::string text = fmt::format("ir_version: 8 opset_import {{ version: 13 }} graph {{ name: 'q' {} {} {}", nodes_,
                                     initializers_, input_text("x", input));
      for (const std::string& name : outputs) text += fmt::format("output {{ name: '{}' }} ", name);
      return text + "}";
    };
    std::vector<std::string> all{last.name};
    for (const Rounded& one : rounded_) all.insert(all.end(), {one.from, one.to});
    return {io(all), io({last.name}), rounded_};
  }

 private:
  // A dequantised tensor of floats.
  struct Value {
    std::string name;
    Shape shape;
    std::string levels;  // the quantised tensor behind it
    double scale = 1;
  };

  bool flip() { return between(0, 1) == 1; }
  double real(double low, double high) {
    return static_cast<float>(low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53);
  }

  std::string fresh(const std::string& kind) { return fmt::format("{}{}", kind, ++count_); }

  std::string initializer(int type, const Shape& dims, const std::vector<double>& values) {
    const std::string name = fresh("c");
    initializers_ += fmt::format("initializer {{ name: '{}' data_type: {} ", name, type);
    for (const std::int64_t dim : dims) initializers_ += fmt::format("dims: {} ", dim);
    for (const double value : values)
      initializers_ += type == 1 ? fmt::format("float_data: {:.9g} ", value)
                                 : fmt::format("int32_data: {} ", static_cast<std::int64_t>(value));
    initializers_ += "} ";
    return name;
  }

  std::string add(const std::string& type, const std::vector<std::string>& inputs, const std::string& attributes = "") {
    const std::string name = fresh("t");
    nodes_ += node(type, inputs, attributes, {name});
    return name;
  }

  // Behind an operator: rounded to levels and back.
  Value quantised(const Value& x, double scale) {
    scale = static_cast<float>(scale * real(0.5, 2));
    const double low = uint8_ ? 0 : -128;
    const double zero = between(0, 3) == 0 ? low : static_cast<double>(between(0, 255)) + low;
    const std::string s = initializer(1, {}, {scale}), z = initializer(uint8_ ? 2 : 3, {}, {zero});
    const std::string levels = add("QuantizeLinear", {x.name, s, z});
    if (x.name != "x") rounded_.push_back({x.name, levels, scale, zero, low});
    return {add("DequantizeLinear", {levels, s, z}), x.shape, levels, scale};
  }

  std::vector<double> levels(std::int64_t count, std::int64_t low, std::int64_t high) {
    std::vector<double> values;
    for (; count > 0; --count) values.push_back(static_cast<double>(between(low, high)));
    return values;
  }

  struct Weights {
    std::string name;
    std::vector<double> scales;
  };

  Weights weights(const Shape& shape, std::int64_t axis) {
    const bool per_channel = flip(), moved = !per_channel && between(0, 3) == 0;
    Weights w;
    for (std::int64_t c = per_channel ? shape[axis] : 1; c > 0; --c) w.scales.push_back(real(0.002, 0.02));
    const Shape dims = per_channel ? Shape{shape[axis]} : Shape{};
    const bool bytes = moved && flip();
    const double zero = moved ? static_cast<double>(between(0, 255)) - (bytes ? 0 : 128) : 0;
    const int type = bytes ? 2 : 3;
    const auto values = bytes ? levels(element_count(shape), 0, 255) : levels(element_count(shape), -128, 127);
    w.name = add("DequantizeLinear",
                 {initializer(type, shape, values), initializer(1, dims, w.scales),
                  initializer(type, dims, std::vector<double>(w.scales.size(), zero))},
                 integer("axis", axis));
    return w;
  }

  std::string bias(double scale_x, const Weights& w, std::int64_t channels) {
    std::vector<double> scales;
    for (const double scale : w.scales) scales.push_back(static_cast<float>(scale_x * scale));
    const Shape dims = scales.size() > 1 ? Shape{channels} : Shape{};
    return add("DequantizeLinear",
               {initializer(6, {channels}, levels(channels, -3000, 3000)), initializer(1, dims, scales)},
               integer("axis", 0));
  }

  Value activated(Value y) {
    const std::int64_t kind = between(0, 3);
    if (kind == 0) y.name = add("Relu", {y.name});
    if (kind == 1)
      y.name = add("Clip", {y.name, initializer(1, {}, {real(-1, 0)}), initializer(1, {}, {real(0.5, 6)})});
    return y;
  }

  Value layer(const std::vector<Value>& values) {
    const Value& x = values[between(0, std::ssize(values) - 1)];
    switch (between(0, 9)) {
      case 0:
        return pool(x, "MaxPool");
      case 1:
        return pool(x, "AveragePool");
      case 2:
        return both(values, "Add");
      case 3:
        return both(values, flip() ? "Mul" : "Sub");
      case 4:
        return join(values);
      case 5:
        return turn(x);
      default:
        return conv(x);
    }
  }

  Value conv(const Value& x) {
    const std::int64_t channels = x.shape[1], mode = between(0, 3);
    const std::int64_t groups = mode == 0 ? channels : mode == 1 && channels % 2 == 0 ? 2 : 1;
    const std::int64_t outputs = groups * between(1, groups == channels ? 2 : 9);
    const std::int64_t ky = std::min(between(1, 3), x.shape[2]), kx = std::min(between(1, 3), x.shape[3]);
    const std::vector<std::int64_t> strides{between(1, 2), between(1, 2)},
        pads{between(0, 1), between(0, 1), between(0, 1), between(0, 1)};
    const Weights w = weights({outputs, channels / groups, ky, kx}, 0);
    std::vector<std::string> inputs{x.name, w.name};
    if (flip()) inputs.push_back(bias(x.scale, w, outputs));
    Value y{add("Conv", inputs, ints("strides", strides) + ints("pads", pads) + integer("group", groups)),
            {x.shape[0], outputs, (x.shape[2] + pads[0] + pads[2] - ky) / strides[0] + 1,
             (x.shape[3] + pads[1] + pads[3] - kx) / strides[1] + 1},
            "",
            1};
    return quantised(activated(y), 0.03);
  }

  Value pool(const Value& x, const std::string& type) {
    const std::int64_t ky = std::min(between(1, 3), x.shape[2]), kx = std::min(between(1, 3), x.shape[3]);
    const std::int64_t stride = between(1, 2), pad = ky > 1 && kx > 1 ? between(0, 1) : 0;
    std::string attributes =
        ints("kernel_shape", {ky, kx}) + ints("strides", {stride, stride}) + ints("pads", {pad, pad, pad, pad});
    if (type == "AveragePool") attributes += integer("count_include_pad", 1);
    return quantised(
        {add(type, {x.name}, attributes),
         {x.shape[0], x.shape[1], (x.shape[2] + 2 * pad - ky) / stride + 1, (x.shape[3] + 2 * pad - kx) / stride + 1},
         "",
         1},
        0.02);
  }

  const Value& alike(const std::vector<Value>& values) {
    const Value& x = values.back();
    for (const Value& other : values)
      if (other.shape == x.shape && flip()) return other;
    return x;
  }

  Value both(const std::vector<Value>& values, const std::string& type) {
    const Value &x = values.back(), &other = alike(values);
    return quantised(activated({add(type, {x.name, other.name}), x.shape, "", 1}), 0.03);
  }

  Value join(const std::vector<Value>& values) {
    const Value &x = values.back(), &other = alike(values);
    Shape shape = x.shape;
    shape[1] *= 2;
    return quantised({add("Concat", {x.name, other.name}, integer("axis", 1)), shape, "", 1}, 0.02);
  }

  Value turn(const Value& x) {
    const Shape shape{x.shape[0], x.shape[1], x.shape[3], x.shape[2]};
    return quantised({add("Transpose", {x.name}, ints("perm", {0, 1, 3, 2})), shape, "", 1}, 0.02);
  }

  Value head(const Value& x) {
    const Value mean = quantised({add("GlobalAveragePool", {x.name}), {x.shape[0], x.shape[1], 1, 1}, "", 1}, 0.02);
    const Value flat = quantised({add("Flatten", {mean.name}), {x.shape[0], x.shape[1]}, "", 1}, 0.02);
    const std::int64_t outputs = between(1, 20);
    if (flip()) {
      const Weights w = weights({outputs, x.shape[1]}, 0);
      return quantised({add("Gemm", {flat.name, w.name, bias(flat.scale, w, outputs)}, integer("transB", 1)),
                        {x.shape[0], outputs},
                        "",
                        1},
                       0.03);
    }
    const Weights w = weights({x.shape[1], outputs}, 1);
    return quantised({add("MatMul", {flat.name, w.name}), {x.shape[0], outputs}, "", 1}, 0.03);
  }

  std::string nodes_, initializers_;
  std::vector<Rounded> rounded_;
  int count_ = 0;
  bool uint8_ = false;
};

}  // namespace tilewright::test
