#include "planner/ir/abreast.h"

#include <gmock/gmock.h>

namespace tilewright {
namespace {

// 16 filters of 3 x 3 over 8 channels, one image of 32 x 24 results.
GemmShape few_filters() {
  GemmShape shape{.m = 16, .n = 32 * 24, .k = 8 * 9};
  shape.conv = ConvShape{.channels = 8, .kernel_h = 3, .kernel_w = 3, .rows = 32, .columns = 24};
  return shape;
}

TilingLimits wide_array() {
  TilingLimits limits;
  limits.array = AbreastArray{};
  limits.array->matmul.rows = limits.array->matmul.columns = 64;
  limits.array->matmul.rate.fill(1);
  limits.mata_bw = 64;
  limits.b_s1 = 1 << 20;
  return limits;
}

Tiling one_tile(const GemmShape& shape) {
  Tiling t;
  t.partition_m = t.tile_m = shape.m, t.partition_n = t.tile_n = shape.n, t.partition_k = shape.k;
  t.a_stationary = true;
  return t;
}

std::int64_t best(const GemmShape& shape, const TilingLimits& limits) {
  return best_abreast(one_tile(shape), shape, limits);
}

TEST(Abreast, AsManyAsMakeTheProductShortest) {
  // Blocks x outputs: 2 x 768 alone, 2 x 384 (k = 96), 2 x 256 (k = 120), 3 x 192 (k = 144).
  EXPECT_EQ(best(few_filters(), wide_array()), 3);
  GemmShape shape = few_filters();
  shape.m = 33;  // twice do not fit side by side
  EXPECT_EQ(best(shape, wide_array()), 1);
  TilingLimits limits = wide_array();
  limits.mata_bw = 1;  // 2304 bytes of filters for each column
  EXPECT_EQ(best(few_filters(), limits), 1);
}

TEST(Abreast, OnlyAsManyAsBufferAHolds) {
  TilingLimits limits = wide_array();
  limits.b_s1 = 3 * 16 * (8 * 3 * 5) * 2;  // one copy of three times 16 filters of 3 x 5
  EXPECT_EQ(best(few_filters(), limits), 3);
  --limits.b_s1;
  EXPECT_EQ(best(few_filters(), limits), 2);
}

TEST(Abreast, NeverWhereColumnsAreNotDividedOrWindowsHaveGaps) {
  GemmShape shape = few_filters();
  shape.conv->columns = 23, shape.n = 32 * 23;
  EXPECT_EQ(best(shape, wide_array()), 1);
  shape = few_filters();
  shape.conv->dilation_w = 2;
  EXPECT_EQ(best(shape, wide_array()), 1);
  shape = few_filters();
  shape.conv->together = 8;  // images side by side
  EXPECT_EQ(best(shape, wide_array()), 1);
  EXPECT_EQ(best(GemmShape{.m = 16, .n = 768, .k = 72}, wide_array()), 1);
  TilingLimits limits = wide_array();
  limits.array.reset();
  EXPECT_EQ(best(few_filters(), limits), 1);
}

// One channel at a time: 768 outputs alone, 128 for six columns; more than six take no less than a block at least does.
TEST(Abreast, OfAGroupLikeAnyOther) {
  GemmShape shape = few_filters();
  shape.conv->grouped = true, shape.conv->channels = 1;
  shape.batches = 16, shape.m = 1, shape.k = 9;
  EXPECT_EQ(best(shape, wide_array()), 6);
}

TEST(Abreast, PiecesOfARowAreWholeNumbersOfThem) {
  const GemmShape shape = few_filters();
  Tiling t = one_tile(shape);
  t.tile_n = 8;
  EXPECT_TRUE(may_be_abreast(t, shape, 4));
  EXPECT_FALSE(may_be_abreast(t, shape, 3));
  t.tile_n = 24;
  EXPECT_TRUE(may_be_abreast(t, shape, 3));
  t.partition_n = t.tile_n = 20;
  EXPECT_FALSE(may_be_abreast(t, shape, 3));
  t.abreast = 3;
  EXPECT_THAT(check_tiling(t, shape, wide_array()), testing::HasSubstr("3 output columns cannot be computed abreast"));
}

TEST(Abreast, TheArraySeesFewerStepsOfALongerSum) {
  const GemmShape shape = few_filters();
  ArrayWork work{.m = 16, .n = 768, .k = 72, .a_stationary = true, .run = 24, .kernel = 9};
  work = abreast(work, *shape.conv, 24, 3);
  EXPECT_EQ(work.m, 48);
  EXPECT_EQ(work.n, 256);
  EXPECT_EQ(work.k, 8 * 3 * 5);
  EXPECT_EQ(work.run, 8);
  EXPECT_EQ(work.kernel, 15);
}

}  // namespace
}  // namespace tilewright
