// One matrix product or convolution by its sizes alone, as people and databases name it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/graph/shape_epilogue.h"

namespace tilewright {

// Sizes in this order:
//   matmul  B, M, N, K                    C[M,N] = A[M,K] x B[K,N], B times
//   conv    N, H, W, Ci, Co, Kh, Kw, S    H and W of the input; S strides of both
struct OperatorShape {
  enum class Kind : std::uint8_t { kMatMul, kConv };

  Kind kind = Kind::kMatMul;
  std::vector<std::int64_t> dims;
  DataType type = DataType::kBf16;
  // matmul: operands as stored, `b_constant`: B is known before the run (weights).
  bool transpose_a = false, transpose_b = false, b_constant = true;
  // conv: pad of every side; absent: (Kh - 1) / 2 and (Kw - 1) / 2 times the dilation, as networks have it.
  std::optional<std::int64_t> pad;
  std::int64_t dilation = 1, groups = 1;
  std::vector<ShapeEpilogue> epilogues;

  bool operator==(const OperatorShape&) const = default;
};

inline constexpr std::size_t kMatMulDims = 4, kConvDims = 8;

// Names of the sizes: "B", "M", ... or "N", "H", ...
const std::vector<std::string_view>& dimension_names(OperatorShape::Kind kind);

// "matmul 1_384_1024_1024 bf16", "conv 12_56_56_64_256_1_1_1 bf16"; attributes that differ from their defaults follow
// as words ("ta", "tb", "dynamic", "pad=0", "dilation=2", "groups=32", "+Add=channel", "+Relu"). parse_operator_shape()
// reads the same text; UserError naming `where` for anything else.
std::string to_string(const OperatorShape& shape);
OperatorShape parse_operator_shape(std::string_view text, const std::string& where);

// UserError naming `where` when a size is below 1, the kernel does not fit its input or the groups do not divide.
void check(const OperatorShape& shape, const std::string& where);

// A graph of this one operator, operator 0; tensors "a", "b" or "x", "w", and "result".
Graph graph_of(const OperatorShape& shape);

// The shape of a MatMul or square-stride Conv of a graph computed in `type`, with its epilogues where they have names,
// else without; none for other operators and for convolutions whose pads, strides or dilations differ between the
// sides.
std::optional<OperatorShape> shape_of(const Graph& graph, OperatorId op, DataType type);

OperatorShape without_epilogues(OperatorShape shape);

// Multiply-adds.
std::int64_t macs_of(const OperatorShape& shape);

}  // namespace tilewright
