// int8 forms of what a model computes on dequantised values: a product of int8 with sums in int32, and the operator
// between DequantizeLinear and QuantizeLinear as one on the quantised values.
#pragma once

#include <optional>

#include "planner/import/onnx_steps.h"

namespace tilewright {

// An int8 or uint8 tensor as int8 (OnnxBuilder::int8_of).
TensorId as_int8(OnnxBuilder& b, const OnnxNode& node, TensorId x);
// A zero point as the int8 form counts it.
double int8_zero_point(ValueType type, double zero_point);

// A MatMul or Conv of int8 operands. Zero points are tensors of int32, negative: 0; that of x has one element or, of a
// MatMul, one for each row [M, 1], that of w is broadcast against the result.
struct IntegerProduct {
  OpKind kind = OpKind::kMatMul;
  Attributes attributes;
  TensorId x = -1, w = -1;
  TensorId zero_x = -1, zero_w = -1;
  TensorId bias = -1;  // int32, one value per output channel; negative: none
};

// The sums of (x - zero_x) * (w - zero_w) + bias as int32; nothing where the zero points of w would have to be taken
// off the windows of a grouped convolution.
std::optional<TensorId> integer_product(OnnxBuilder& b, const OnnxNode& node, IntegerProduct product);

// The product that `x`, a tensor of floats, is of dequantised operands, as int32 in steps of scale x * scale w.
std::optional<TensorId> integer_sums(OnnxBuilder& b, const OnnxNode& node, TensorId x);

// `x`, a tensor of floats, as QuantizeLinear with `level` (that of int8) gives it, computed on quantised values alone;
// nothing where some operator on the way has no such form.
std::optional<TensorId> integer_form(OnnxBuilder& b, const OnnxNode& node, TensorId x, const QuantLevel& level);

}  // namespace tilewright
