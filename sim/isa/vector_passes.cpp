#include "sim/isa/vector_passes.h"

#include "sim/base/error.h"

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
      return spec.simple_passes;
    case VectorOp::kDiv:
    case VectorOp::kSqrt:
    case VectorOp::kRsqrt:
    case VectorOp::kReciprocal:
      return spec.divide_passes;
    case VectorOp::kPow:
    case VectorOp::kGelu:
    case VectorOp::kErf:
    case VectorOp::kTanh:
    case VectorOp::kSigmoid:
    case VectorOp::kExp:
    case VectorOp::kLog:
    case VectorOp::kSin:
    case VectorOp::kCos:
      return spec.transcendental_passes;
  }
  SIM_CHECK(false, "vector operation {}", static_cast<int>(op));
}

}  // namespace tilewright
