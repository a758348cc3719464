#include "planner/emit/window_sums.h"

namespace tilewright {
namespace {

// The dimensions of a convolution's matmul instruction as the instructions of the vector unit walk them: outside, one
// instruction each, images, rows m and channels; inside kernel rows and columns, groups, output rows and columns.
struct Walk {
  Strides inside{};
  std::int64_t image = 0, row = 0, channel = 0;  // bytes from one instruction to the next
};

// Walks of the three operands; `next` is the instruction of the next group.
Walk walk_of_input(const Matmul& mm, const Matmul& next) {
  return {{mm.b.row_stride[1], mm.b.row_stride[2], next.b.address - mm.b.address, mm.b.column_stride[1],
           mm.b.column_stride[2]},
          mm.b.column_stride[0],
          0,
          mm.b.row_stride[0]};
}
Walk walk_of_weights(const Matmul& mm, const Matmul& next) {
  return {{mm.a.column_stride[1], mm.a.column_stride[2], next.a.address - mm.a.address, 0, 0},
          0,
          mm.a.row_stride[2],
          mm.a.column_stride[0]};
}
Walk walk_of_result(const Matmul& mm, const Matmul& next) {
  return {{0, 0, next.c.address - mm.c.address, mm.c.column_stride[1], mm.c.column_stride[2]},
          mm.c.column_stride[0],
          mm.c.row_stride[2],
          0};
}

struct WindowPlace {
  std::int64_t image, row, channel;
};

VectorOperand operand_at(const MatmulOperand& place, DataType type, const Walk& walk, const Extents& shape,
                         const WindowPlace& at) {
  VectorOperand operand{place.space,
                        place.address + at.image * walk.image + at.row * walk.row + at.channel * walk.channel,
                        walk.inside, type};
  for (int d = 0; d < kBoxDims; ++d)
    if (shape[d] == 1) operand.stride[d] = 0;
  return operand;
}

}  // namespace

std::vector<Vector> window_sums(const Contraction& part, const OperandBox& a, Address a_address, const OperandBox& b,
                                Address b_address, const Columns& columns, std::int64_t batches, Address c_address,
                                bool accumulate) {
  const Matmul mm = part.matmul(a, a_address, b, b_address, columns, 0, c_address);
  const Matmul next = part.matmul(a, a_address, b, b_address, columns, 1, c_address);
  const Walk input = walk_of_input(mm, next), weights = walk_of_weights(mm, next), result = walk_of_result(mm, next);
  Vector sum{.op = VectorOp::kMultiplyAdd, .shape = {mm.k[1], mm.k[2], batches, mm.n[1], mm.n[2]}};
  std::vector<Vector> sums;
  for (std::int64_t image = 0; image < mm.n[0]; ++image)
    for (std::int64_t row = 0; row < mm.m[2]; ++row)
      for (std::int64_t channel = 0; channel < mm.k[0]; ++channel) {
        const WindowPlace at{image, row, channel};
        sum.a = operand_at(mm.b, mm.type, input, sum.shape, at);
        sum.b = operand_at(mm.a, mm.type, weights, sum.shape, at);
        sum.target = operand_at(mm.c, accumulator_type(mm.type), result, sum.shape, at);
        sum.accumulate = accumulate || channel > 0;
        sums.push_back(sum);
      }
  return sums;
}

}  // namespace tilewright
