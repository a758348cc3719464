#include "planner/ir/image_blocks.h"

#include "sim/base/units.h"

namespace tilewright {
namespace {

// Blocks that the array streams, those that are padding included, for one that is needed.
double padded(std::int64_t blocks, int granule) {
  return static_cast<double>(round_up<std::int64_t>(blocks, granule)) / static_cast<double>(blocks);
}

}  // namespace

std::int64_t image_blocks(std::int64_t rows, std::int64_t columns, int granule) {
  const std::int64_t length = rows > 1 ? rows : columns;
  std::int64_t best = 1;
  for (std::int64_t blocks = 2; blocks <= length; ++blocks)
    if (length % blocks == 0 && padded(blocks, granule) < padded(best, granule)) best = blocks;
  return best;
}

bool streams_in_blocks(std::int64_t images, int granule) { return granule > 1 && images < granule; }

std::vector<Matmul> in_image_blocks(const Matmul& matmul, int granule) {
  if (!streams_in_blocks(matmul.n[0], granule)) return {matmul};
  std::vector<Matmul> instructions;
  const std::int64_t blocks = image_blocks(matmul.n[1], matmul.n[2], granule);
  const int walked = matmul.n[1] > 1 ? 1 : 2;
  for (std::int64_t image = 0; image < matmul.n[0]; ++image) {
    Matmul one = matmul;
    one.n[0] = blocks;
    one.n[walked] /= blocks;
    for (MatmulOperand* operand : {&one.b, &one.c}) {
      operand->address += image * operand->column_stride[0];
      operand->column_stride[0] = one.n[walked] * operand->column_stride[walked];
    }
    instructions.push_back(one);
  }
  return instructions;
}

}  // namespace tilewright
