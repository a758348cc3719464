// Operators that compute each element from one element of each input.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "planner/graph/broadcast.h"
#include "planner/reference/reference_kinds.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

double clip(const Attributes& attributes, double x) {
  if (attributes.clip_low) x = std::max(x, *attributes.clip_low);
  if (attributes.clip_high) x = std::min(x, *attributes.clip_high);
  return x;
}

}  // namespace

double apply_activation(OpKind kind, const Attributes& attributes, double x) {
  switch (kind) {
    case OpKind::kRelu:
      return std::max(x, 0.0);
    case OpKind::kGelu:
      return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case OpKind::kGeluTanh:
      return 0.5 * x * (1.0 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    case OpKind::kErf:
      return std::erf(x);
    case OpKind::kTanh:
      return std::tanh(x);
    case OpKind::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case OpKind::kSilu:
      return x / (1.0 + std::exp(-x));
    case OpKind::kSqrt:
      return std::sqrt(x);
    case OpKind::kExp:
      return std::exp(x);
    case OpKind::kClip:
      return clip(attributes, x);
    case OpKind::kNeg:
      return -x;
    case OpKind::kReciprocal:
      return 1.0 / x;
    case OpKind::kLog:
      return std::log(x);
    case OpKind::kSin:
      return std::sin(x);
    case OpKind::kCos:
      return std::cos(x);
    case OpKind::kAtan:
      return std::atan(x);
    case OpKind::kFloor:
      return std::floor(x);
    case OpKind::kTruncate:
      return std::trunc(x);
    case OpKind::kRound:
      return std::nearbyint(x);
    case OpKind::kCast:
    case OpKind::kIdentity:
      return x;
    default:
      break;
  }
  SIM_CHECK(false, "{} is no activation", name_of(kind));
  return x;
}

namespace {

// Exactly what the machine does in fp32: products and quotients of two floats that are rounded once.
double quantized(double level, double zero_point) {
  return std::clamp(std::nearbyint(static_cast<double>(static_cast<float>(level))) + zero_point, -128.0, 127.0);
}

double as_float(double value) { return static_cast<float>(value); }

}  // namespace

double apply_binary(OpKind kind, const Attributes& attributes, double a, double b) {
  switch (kind) {
    case OpKind::kAdd:
      return a + b;
    case OpKind::kSub:
      return a - b;
    case OpKind::kMul:
      return a * b;
    case OpKind::kDiv:
      return a / b;
    case OpKind::kPow:
      return std::pow(a, b);
    case OpKind::kMax:
      return std::max(a, b);
    case OpKind::kMin:
      return std::min(a, b);
    case OpKind::kEqual:
      return a == b;
    case OpKind::kLess:
      return a < b;
    case OpKind::kMask:
      return b != 0 ? a : 0;
    case OpKind::kQuantize:
      return quantized(as_float(a) / as_float(b), attributes.zero_point);
    case OpKind::kDequantize:
      return as_float((a - attributes.zero_point) * as_float(b));
    case OpKind::kRequantize:
      return quantized(as_float(a) * as_float(b), attributes.zero_point);
    default:
      break;
  }
  SIM_CHECK(false, "{} does not combine two operands", name_of(kind));
  return a;
}

TensorValues dequantized(const TensorValues& values, const QuantLevel& level) {
  TensorValues result = values;
  for (double& value : result)
    value = apply_binary(OpKind::kDequantize, {.zero_point = level.zero_point}, value, level.scale);
  return result;
}

void quantize(TensorValues& values, const QuantLevel& level) {
  for (double& value : values)
    value = apply_binary(OpKind::kQuantize, {.zero_point = level.zero_point}, value, level.scale);
}

TensorValues reference_binary(const Operator& op, const ReferenceOperands& in, const Shape& out, bool whole_numbers) {
  TensorValues result;
  result.reserve(element_count(out));
  if (whole_numbers && op.kind == OpKind::kDiv) {
    for_each_offset(out, broadcast_strides(in[0].shape, out), broadcast_strides(in[1].shape, out),
                    [&](std::int64_t a, std::int64_t b) {
                      result.push_back(in[1].values[b] == 0 ? 0 : std::trunc(in[0].values[a] / in[1].values[b]));
                    });
    return result;
  }
  for_each_offset(out, broadcast_strides(in[0].shape, out), broadcast_strides(in[1].shape, out),
                  [&](std::int64_t a, std::int64_t b) {
                    result.push_back(apply_binary(op.kind, op.attributes, in[0].values[a], in[1].values[b]));
                  });
  return result;
}

}  // namespace tilewright
