#include "sim/isa/unit_time.h"

#include <cmath>

#include "sim/base/error.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {

int passes_of(const VectorSpec& spec, VectorOp op) {
  switch (op) {
    case VectorOp::kCopy:
    case VectorOp::kAdd:
    case VectorOp::kSub:
    case VectorOp::kMul:
    case VectorOp::kMax:
    case VectorOp::kMin:
    case VectorOp::kRelu:
    case VectorOp::kNegate:
    case VectorOp::kClip:
    case VectorOp::kReduceAdd:
    case VectorOp::kReduceMax:
    case VectorOp::kFloor:
    case VectorOp::kTruncate:
    case VectorOp::kRound:
    case VectorOp::kEqual:
    case VectorOp::kLess:
    case VectorOp::kWhere:
    case VectorOp::kMultiplyAdd:
    case VectorOp::kDequantize:
    case VectorOp::kRequantize:
    case VectorOp::kDequantizeLow:
    case VectorOp::kDequantizeHigh:
      return spec.simple_passes;
    case VectorOp::kDiv:
    case VectorOp::kQuantize:
    case VectorOp::kSqrt:
    case VectorOp::kRsqrt:
    case VectorOp::kReciprocal:
      return spec.divide_passes;
    case VectorOp::kPow:
    case VectorOp::kGelu:
    case VectorOp::kErf:
    case VectorOp::kTanh:
    case VectorOp::kSigmoid:
    case VectorOp::kSilu:
    case VectorOp::kExp:
    case VectorOp::kLog:
    case VectorOp::kSin:
    case VectorOp::kCos:
    case VectorOp::kGeluTanh:
    case VectorOp::kAtan:
      return spec.transcendental_passes;
  }
  SIM_CHECK(false, "vector operation {}", static_cast<int>(op));
}

namespace {

std::int64_t product(const MatmulExtents& extents) { return extents[0] * extents[1] * extents[2]; }

// Lanes run along the last dimension longer than 1: whether results are made of several lanes.
bool crosses_lanes(const Vector& vector) {
  for (int d = kBoxDims - 1; d >= 0; --d)
    if (vector.shape[d] > 1) return vector.target.stride[d] == 0;
  return false;
}

bool same_elements(const VectorOperand& a, const VectorOperand& b) {
  return a.space == b.space && a.address == b.address && a.stride == b.stride;
}

// Passes that turn fp16 operands into the lanes' 32 bit, an element that is repeated or read as both operands once, and
// results back.
std::int64_t conversion_passes(const VectorSpec& spec, const Vector& vector) {
  const auto elements = [&](const VectorOperand& operand) {
    return operand.type == DataType::kFp16 ? distinct_elements(vector.shape, operand.stride) : 0;
  };
  const bool reads_b = is_binary(vector.op) && !vector.b_is_immediate && !same_elements(vector.a, vector.b);
  const std::int64_t read = elements(vector.a) + (reads_b ? elements(vector.b) : 0);
  return read * spec.fp16_load_passes + elements(vector.target) * spec.fp16_store_passes;
}

}  // namespace

ArrayWork array_work_of(const Matmul& matmul) {
  ArrayWork work{product(matmul.m), product(matmul.n), product(matmul.k), matmul.a_stationary, matmul.type};
  // A convolution's k is channels, kernel rows, kernel columns; that of a plain product has one dimension, the last.
  const bool plain = matmul.k[0] == 1 && matmul.k[1] == 1;
  work.kernel = plain ? 1 : matmul.k[1] * matmul.k[2];
  // One output of one image may as well be a plain product: padding does not matter there.
  const bool conv = !plain || matmul.n[0] * matmul.n[1] > 1;
  work.images = conv ? matmul.n[0] : 0;
  work.run = matmul.a_stationary ? matmul.n[kMatmulDims - 1] : matmul.m[kMatmulDims - 1];
  return work;
}

std::int64_t multiply_adds_of(const Matmul& matmul) {
  return product(matmul.m) * product(matmul.n) * (product(matmul.k) - matmul.zeros);
}

std::int64_t distinct_elements(const Extents& shape, const Strides& stride) {
  std::int64_t count = 1;
  for (int d = 0; d < kBoxDims; ++d) count *= stride[d] == 0 ? 1 : shape[d];
  return count;
}

Cycles vector_cycles(const VectorSpec& spec, const Vector& vector) {
  const std::int64_t passes =
      element_count(vector.shape) * passes_of(spec, vector.op) + conversion_passes(spec, vector);
  const bool across = is_reduction(vector.op) && crosses_lanes(vector);
  const std::int64_t results = across ? distinct_elements(vector.shape, vector.target.stride) : 0;
  const auto steps = static_cast<Cycles>(std::ceil(static_cast<double>(results) * spec.reduction_cycles));
  return spec.issue_cycles + ceil_div<std::int64_t>(passes, spec.lanes) + steps;
}

}  // namespace tilewright
