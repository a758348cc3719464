#include "planner/ir/image_blocks.h"

#include <gtest/gtest.h>

#include <set>

namespace tilewright {
namespace {

TEST(ImageBlocks, AreTheDivisorWithWhichTheArrayStreamsLeast) {
  EXPECT_EQ(image_blocks(16, 5, 8), 8);
  EXPECT_EQ(image_blocks(24, 5, 8), 8);
  EXPECT_EQ(image_blocks(14, 14, 8), 7);  // 8 for 7
  EXPECT_EQ(image_blocks(13, 8, 8), 13);  // 16 for 13
  EXPECT_EQ(image_blocks(2, 8, 8), 2);
  EXPECT_EQ(image_blocks(1, 40, 8), 8);
  EXPECT_EQ(image_blocks(1, 1, 8), 1);
}

TEST(ImageBlocks, OnlyOfFewerImagesThanTheArrayTakes) {
  EXPECT_TRUE(streams_in_blocks(7, 8));
  EXPECT_FALSE(streams_in_blocks(8, 8));
  EXPECT_FALSE(streams_in_blocks(1, 1));
}

// Places of B and C that a convolution's instructions pair.
std::set<std::pair<Address, Address>> pairs(const std::vector<Matmul>& instructions) {
  std::set<std::pair<Address, Address>> found;
  for (const Matmul& m : instructions)
    for (std::int64_t i = 0; i < m.n[0]; ++i)
      for (std::int64_t r = 0; r < m.n[1]; ++r)
        for (std::int64_t c = 0; c < m.n[2]; ++c) {
          const auto at = [&](const MatmulOperand& o) {
            return o.address + i * o.column_stride[0] + r * o.column_stride[1] + c * o.column_stride[2];
          };
          EXPECT_TRUE(found.emplace(at(m.b), at(m.c)).second) << "twice";
        }
  return found;
}

TEST(ImageBlocks, ComputeWhatTheOneInstructionComputes) {
  for (const MatmulExtents& n : {MatmulExtents{1, 16, 5}, {3, 14, 6}, {1, 1, 24}, {2, 1, 7}, {9, 4, 4}}) {
    Matmul matmul;
    matmul.n = n;
    matmul.b = {Space::kBufferB, 64, {}, {4096, 2 * 48, 4}};
    matmul.c = {Space::kAccumulator, 128, {}, {4 * n[1] * n[2], 4 * n[2], 4}};
    const std::vector<Matmul> blocks = in_image_blocks(matmul, 8);
    EXPECT_EQ(blocks.size(), n[0] < 8 ? static_cast<std::size_t>(n[0]) : 1u);
    EXPECT_EQ(pairs(blocks), pairs({matmul}));
    EXPECT_EQ(in_image_blocks(matmul, 1), std::vector<Matmul>{matmul});
  }
}

}  // namespace
}  // namespace tilewright
