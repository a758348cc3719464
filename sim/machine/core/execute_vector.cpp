#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/isa/request_splitter.h"
#include "sim/machine/core/execute.h"

namespace tilewright {
namespace {

constexpr float kSqrtHalf = 0.70710678118654752440f, kSqrtTwoOverPi = 0.79788456080286535588f;

bool is_integer(DataType type) { return type == DataType::kInt8 || type == DataType::kInt32; }

// fp32 arithmetic of one operand.
float compute_one(const Vector& vector, float a) {
  switch (vector.op) {
    case VectorOp::kRelu:
      return std::max(a, 0.0f);
    case VectorOp::kGelu:
      return 0.5f * a * (1.0f + std::erf(a * kSqrtHalf));
    case VectorOp::kGeluTanh:
      return 0.5f * a * (1.0f + std::tanh(kSqrtTwoOverPi * (a + 0.044715f * a * a * a)));
    case VectorOp::kErf:
      return std::erf(a);
    case VectorOp::kTanh:
      return std::tanh(a);
    case VectorOp::kSigmoid:
      return 1.0f / (1.0f + std::exp(-a));
    case VectorOp::kSilu:
      return a / (1.0f + std::exp(-a));
    case VectorOp::kExp:
      return std::exp(a);
    case VectorOp::kSqrt:
      return std::sqrt(a);
    case VectorOp::kRsqrt:
      return 1.0f / std::sqrt(a);
    case VectorOp::kReciprocal:
      return 1.0f / a;
    case VectorOp::kNegate:
      return -a;
    case VectorOp::kClip:
      return std::max(std::min(a, static_cast<float>(vector.immediate2)), static_cast<float>(vector.immediate));
    case VectorOp::kLog:
      return std::log(a);
    case VectorOp::kSin:
      return std::sin(a);
    case VectorOp::kCos:
      return std::cos(a);
    case VectorOp::kAtan:
      return std::atan(a);
    case VectorOp::kFloor:
      return std::floor(a);
    case VectorOp::kTruncate:
      return std::trunc(a);
    case VectorOp::kRound:
      return std::nearbyint(a);
    default:
      break;
  }
  SIM_CHECK(false, "vector operation {}", static_cast<int>(vector.op));
}

// Rounded before the zero point is added, so that halves go to the even level whatever it is.
float quantized(float level, double zero_point) {
  return std::clamp(std::nearbyint(level) + static_cast<float>(zero_point), -128.0f, 127.0f);
}

// A 4-bit number in two's complement, of the two in an int8.
float half_of(VectorOp op, float both) {
  const float upper = std::floor(both / 16);
  if (op == VectorOp::kDequantizeHigh) return upper;
  const float lower = both - 16 * upper;
  return lower < 8 ? lower : lower - 16;
}

// fp32 arithmetic, but for the operations that integers have of their own when both operands are.
float compute(const Vector& vector, float a, float b) {
  switch (vector.op) {
    case VectorOp::kCopy:
      return a;
    case VectorOp::kAdd:
    case VectorOp::kReduceAdd:
      return a + b;
    case VectorOp::kSub:
      return a - b;
    case VectorOp::kMul:
    case VectorOp::kMultiplyAdd:
      return a * b;
    case VectorOp::kDiv:
      return a / b;
    case VectorOp::kMax:
    case VectorOp::kReduceMax:
      return std::max(a, b);
    case VectorOp::kMin:
      return std::min(a, b);
    case VectorOp::kPow:
      return std::pow(a, b);
    case VectorOp::kEqual:
      return a == b ? 1.0f : 0.0f;
    case VectorOp::kLess:
      return a < b ? 1.0f : 0.0f;
    case VectorOp::kWhere:
      return b != 0 ? a : 0.0f;
    case VectorOp::kQuantize:
      return quantized(a / b, vector.immediate2);
    case VectorOp::kDequantize:
      return (a - static_cast<float>(vector.immediate2)) * b;
    case VectorOp::kRequantize:
      return quantized(a * b, vector.immediate2);
    case VectorOp::kDequantizeLow:
    case VectorOp::kDequantizeHigh:
      return (half_of(vector.op, a) - static_cast<float>(vector.immediate2)) * b;
    default:
      return compute_one(vector, a);
  }
}

bool has_integer_form(VectorOp op) {
  switch (op) {
    case VectorOp::kCopy:
    case VectorOp::kAdd:
    case VectorOp::kSub:
    case VectorOp::kMul:
    case VectorOp::kMax:
    case VectorOp::kMin:
    case VectorOp::kRelu:
    case VectorOp::kNegate:
    case VectorOp::kReduceAdd:
    case VectorOp::kReduceMax:
    case VectorOp::kDiv:
    case VectorOp::kEqual:
    case VectorOp::kLess:
    case VectorOp::kWhere:
    case VectorOp::kMultiplyAdd:
      return true;
    default:
      return false;
  }
}

// Towards zero; 0 where the divisor is, and wrapping for the lowest number by -1.
std::int32_t divide(std::int32_t a, std::int32_t b) {
  if (b == 0) return 0;
  return static_cast<std::int32_t>(static_cast<std::int64_t>(a) / b);
}

// int32 that wraps, as the lanes do.
std::int32_t compute_integer(VectorOp op, std::int32_t a, std::int32_t b) {
  const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
  switch (op) {
    case VectorOp::kAdd:
    case VectorOp::kReduceAdd:
      return static_cast<std::int32_t>(ua + ub);
    case VectorOp::kSub:
      return static_cast<std::int32_t>(ua - ub);
    case VectorOp::kMul:
    case VectorOp::kMultiplyAdd:
      return static_cast<std::int32_t>(ua * ub);
    case VectorOp::kMax:
    case VectorOp::kReduceMax:
      return std::max(a, b);
    case VectorOp::kMin:
      return std::min(a, b);
    case VectorOp::kRelu:
      return std::max(a, 0);
    case VectorOp::kNegate:
      return static_cast<std::int32_t>(0u - ua);
    case VectorOp::kDiv:
      return divide(a, b);
    case VectorOp::kEqual:
      return a == b;
    case VectorOp::kLess:
      return a < b;
    case VectorOp::kWhere:
      return b != 0 ? a : 0;
    default:
      return a;
  }
}

double apply(const Vector& vector, bool integers, double a, double b) {
  if (integers) {
    return compute_integer(vector.op, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  }
  return compute(vector, static_cast<float>(a), static_cast<float>(b));
}

// Calls visit(target, a, b) with the offsets of every element of `shape`, in order.
template <typename Visit>
void for_each_element(const Vector& vector, const Extents& shape, Visit visit) {
  const Strides &t = vector.target.stride, &a = vector.a.stride, &b = vector.b.stride;
  Extents index{};
  const std::int64_t count = element_count(shape);
  Bytes at_t = 0, at_a = 0, at_b = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    visit(at_t, at_a, at_b);
    for (int d = kBoxDims - 1; d >= 0; --d) {
      at_t += t[d], at_a += a[d], at_b += b[d];
      if (++index[d] < shape[d]) break;
      at_t -= t[d] * index[d], at_a -= a[d] * index[d], at_b -= b[d] * index[d];
      index[d] = 0;
    }
  }
}

double read(const VectorOperand& operand, Bytes offset, CoreMemory& memory) {
  return load_element(memory.at(operand.space, operand.address + offset, bytes_of(operand.type)), operand.type);
}

void write(const VectorOperand& operand, Bytes offset, double value, CoreMemory& memory) {
  store_element(memory.at(operand.space, operand.address + offset, bytes_of(operand.type)), operand.type, value);
}

bool computes_in_integers(const Vector& vector) {
  if (!has_integer_form(vector.op) || !is_integer(vector.a.type)) return false;
  if (vector.accumulate && !is_integer(vector.target.type)) return false;
  if (!is_binary(vector.op)) return true;
  return vector.b_is_immediate ? std::nearbyint(vector.immediate) == vector.immediate : is_integer(vector.b.type);
}

void run_elementwise(const Vector& vector, CoreMemory& memory) {
  const bool integers = computes_in_integers(vector);
  const bool reads_b = is_binary(vector.op) && !vector.b_is_immediate;
  for_each_element(vector, vector.shape, [&](Bytes target, Bytes a, Bytes b) {
    const double right = reads_b ? read(vector.b, b, memory) : vector.immediate;
    write(vector.target, target, apply(vector, integers, read(vector.a, a, memory), right), memory);
  });
}

// `shape` with only the dimensions that the reduction keeps (or only those it runs over) larger than 1.
Extents part_of_shape(const Vector& vector, bool kept) {
  Extents part{1, 1, 1, 1, 1};
  for (int d = 0; d < kBoxDims; ++d) {
    if ((vector.target.stride[d] != 0) == kept) part[d] = vector.shape[d];
  }
  return part;
}

// One result: the partial value stays in fp32 (int32) until the end.
class Reduction {
 public:
  Reduction(const Vector& vector, CoreMemory& memory)
      : vector_(vector), memory_(memory), integers_(computes_in_integers(vector)) {
    combine_.op = vector.op == VectorOp::kMultiplyAdd ? VectorOp::kReduceAdd : vector.op;
  }

  void run() const {
    for_each_element(vector_, part_of_shape(vector_, true), [&](Bytes target, Bytes a, Bytes b) {
      write(vector_.target, target, result(target, a, b), memory_);
    });
  }

 private:
  double result(Bytes target, Bytes from_a, Bytes from_b) const {
    bool started = vector_.accumulate;
    double partial = started ? read(vector_.target, target, memory_) : 0;
    for_each_element(vector_, reduced_, [&](Bytes, Bytes a, Bytes b) {
      const double one = term(from_a + a, from_b + b);
      partial = started ? apply(combine_, integers_, partial, one) : one;
      started = true;
    });
    return partial;
  }

  double term(Bytes a, Bytes b) const {
    const double left = read(vector_.a, a, memory_);
    if (!is_binary(vector_.op)) return left;
    return apply(vector_, integers_, left, vector_.b_is_immediate ? vector_.immediate : read(vector_.b, b, memory_));
  }

  const Vector& vector_;
  Vector combine_;  // what joins the partial value and the next term
  CoreMemory& memory_;
  const bool integers_;
  const Extents reduced_ = part_of_shape(vector_, false);
};

}  // namespace

void execute_vector(const Vector& vector, CoreMemory& memory) {
  if (is_reduction(vector.op)) {
    Reduction(vector, memory).run();
  } else {
    run_elementwise(vector, memory);
  }
}

}  // namespace tilewright
