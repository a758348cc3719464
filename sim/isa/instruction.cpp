#include "sim/isa/instruction.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace tilewright {

std::string_view name_of(Space space) {
  static constexpr std::array<std::string_view, kSpaceCount> names{"dram", "cluster", "a", "b", "acc"};
  return names[static_cast<int>(space)];
}

std::string place_name(Space space, int owner) {
  return owner == kOwnMemory ? std::string(name_of(space)) : fmt::format("{}.{}", name_of(space), owner);
}

std::string_view name_of(Unit unit) {
  static constexpr std::array<std::string_view, kUnitCount> names{"load", "store", "matmul", "vector"};
  return names[static_cast<int>(unit)];
}

std::string_view name_of(VectorOp op) {
  static constexpr std::array<std::string_view, kVectorOpCount> names{"copy",
                                                                      "add",
                                                                      "sub",
                                                                      "mul",
                                                                      "div",
                                                                      "max",
                                                                      "min",
                                                                      "pow",
                                                                      "relu",
                                                                      "gelu",
                                                                      "erf",
                                                                      "tanh",
                                                                      "sigmoid",
                                                                      "exp",
                                                                      "sqrt",
                                                                      "rsqrt",
                                                                      "reciprocal",
                                                                      "negate",
                                                                      "clip",
                                                                      "reduce_add",
                                                                      "reduce_max",
                                                                      "log",
                                                                      "sin",
                                                                      "cos",
                                                                      "floor",
                                                                      "truncate",
                                                                      "round",
                                                                      "equal",
                                                                      "less",
                                                                      "where",
                                                                      "silu",
                                                                      "multiply_add",
                                                                      "quantize",
                                                                      "dequantize",
                                                                      "requantize",
                                                                      "dequantize_low",
                                                                      "dequantize_high",
                                                                      "gelu_tanh",
                                                                      "atan"};
  return names[static_cast<int>(op)];
}

bool is_binary(VectorOp op) {
  return (op >= VectorOp::kAdd && op <= VectorOp::kPow) || (op >= VectorOp::kEqual && op <= VectorOp::kWhere) ||
         op == VectorOp::kMultiplyAdd || has_zero_point(op);
}

bool has_zero_point(VectorOp op) {
  return op == VectorOp::kQuantize || op == VectorOp::kDequantize || op == VectorOp::kRequantize || takes_halves(op);
}

bool takes_halves(VectorOp op) { return op == VectorOp::kDequantizeLow || op == VectorOp::kDequantizeHigh; }

bool is_reduction(VectorOp op) {
  return op == VectorOp::kReduceAdd || op == VectorOp::kReduceMax || op == VectorOp::kMultiplyAdd;
}

void TokenList::add(int id) {
  SIM_CHECK(count < kMaxTokensPerList, "an instruction holds at most {} tokens of a kind", kMaxTokensPerList);
  SIM_CHECK(id >= 0 && id <= 0xffff, "token {} is not a 16-bit number", id);
  token[count++] = static_cast<std::uint16_t>(id);
}

namespace {

std::string_view name_of_kind(TransferKind kind) {
  static constexpr std::array<std::string_view, 3> names{"load", "store", "copy"};
  return names[static_cast<int>(kind)];
}

}  // namespace

std::string_view mnemonic(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 6> names{"transfer", "matmul", "vector", "signal", "wait", "barrier"};
  if (const auto* transfer = std::get_if<Transfer>(&instruction.payload)) return name_of_kind(transfer->kind);
  return names[instruction.payload.index()];
}

namespace {

// `used(d)` says whether dimension d carries information.
template <typename Used>
int kept(int dims, Used used) {
  int first = 0;
  while (first < dims - 1 && !used(first)) ++first;
  return dims - first;
}

}  // namespace

int dims_of(const Transfer& t) {
  return kept(kBoxDims, [&](int d) {
    return t.shape[d] != 1 || t.pad_low[d] != 0 || t.pad_high[d] != 0 || t.source.stride[d] != 0 ||
           t.target.stride[d] != 0;
  });
}

int dims_of(const Vector& v) {
  return kept(kBoxDims, [&](int d) {
    return v.shape[d] != 1 || v.target.stride[d] != 0 || v.a.stride[d] != 0 || (has_operand_b(v) && v.b.stride[d] != 0);
  });
}

MatmulDims dims_of(const Matmul& mm) {
  const auto count = [](const MatmulExtents& extent, const MatmulExtents& first, const MatmulExtents& second) {
    return kept(kMatmulDims, [&](int d) { return extent[d] != 1 || first[d] != 0 || second[d] != 0; });
  };
  return {count(mm.m, mm.a.row_stride, mm.c.row_stride), count(mm.n, mm.b.column_stride, mm.c.column_stride),
          count(mm.k, mm.a.column_stride, mm.b.row_stride)};
}

bool has_operand_b(const Vector& v) { return !v.b_is_immediate && (is_binary(v.op) || !(v.b == VectorOperand{})); }

}  // namespace tilewright
