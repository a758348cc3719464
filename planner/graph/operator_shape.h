// One matrix product or convolution by its sizes alone, as people and databases name it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/graph/shape_epilogue.h"
#include "planner/graph/window.h"

namespace tilewright {

// Sizes in this order:
//   matmul  B, M, N, K                    C[M,N] = A[M,K] x B[K,N], B times
//   conv    N, H, W, Ci, Co, Kh, Kw, S    H and W of the input; S stride of the rows
struct OperatorShape {
  enum class Kind : std::uint8_t { kMatMul, kConv };

  Kind kind = Kind::kMatMul;
  std::vector<std::int64_t> dims;
  DataType type = DataType::kBf16;
  // matmul: operands as stored, `b_constant`: B is known before the run (weights).
  bool transpose_a = false, transpose_b = false, b_constant = true;
  // conv: pads of top, left, bottom and right; absent: (Kh - 1) / 2 and (Kw - 1) / 2 times the dilation, as networks
  // have them.
  std::optional<std::array<std::int64_t, 4>> pads;
  std::optional<std::int64_t> column_stride;    // where it is not S
  std::array<std::int64_t, 2> dilations{1, 1};  // of rows and columns
  std::int64_t groups = 1;
  bool channel_factors = false;  // of a conv: Attributes::channel_factors
  std::vector<ShapeEpilogue> epilogues;

  bool operator==(const OperatorShape&) const = default;
};

inline constexpr std::size_t kMatMulDims = 4, kConvDims = 8;

// Names of the sizes: "B", "M", ... or "N", "H", ...
const std::vector<std::string_view>& dimension_names(OperatorShape::Kind kind);

// "matmul 1_384_1024_1024 bf16", "conv 12_56_56_64_256_1_1_1 bf16"; attributes that differ from their defaults follow
// as words ("ta", "tb", "dynamic", "pad=0", "dilation=2", "groups=32", "factors", "+Add=channel", "+Relu"), for
// convolutions that are not alike on all sides "pad=0_0_1_1" (top, left, bottom, right), "dilation=2_1" (rows, columns)
// and "stride_w=1". parse_operator_shape() reads the same text; UserError naming `where` for anything else.
std::string to_string(const OperatorShape& shape);
OperatorShape parse_operator_shape(std::string_view text, const std::string& where);

// UserError naming `where` when a size is below 1, the kernel does not fit its input or the groups do not divide.
void check(const OperatorShape& shape, const std::string& where);

// A graph of this one operator, operator 0; tensors "a", "b" or "x", "w", and "result".
Graph graph_of(const OperatorShape& shape);

// The shape of a MatMul or Conv of a graph computed in `type`, with its epilogues where they have names, else without;
// none for other operators.
std::optional<OperatorShape> shape_of(const Graph& graph, OperatorId op, DataType type);

// Of a convolution.
Window window_of(const OperatorShape& shape);

OperatorShape without_epilogues(OperatorShape shape);

// Multiply-adds.
std::int64_t macs_of(const OperatorShape& shape);

}  // namespace tilewright
