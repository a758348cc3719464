// The tiling formulas on examples worked by hand, and legality on random shapes.
#include "planner/passes/tile/closed_form.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// The formulas as printed: one copy of everything, blocks of 64.
TilingLimits printed(Bytes b_s1, Bytes b_s2, double hw_power) {
  TilingLimits limits;
  limits.b_s1 = b_s1, limits.b_s2 = b_s2;
  limits.acc_buffer_max = 1 << 20;
  limits.mata_bw = limits.matb_bw = 16;
  limits.hw_power = hw_power;
  limits.block_size_m = limits.block_size_n = 64;
  limits.buffering = 1;
  return limits;
}

TEST(ClosedForm, CaseOneKeepsTheSmallMatrix) {
  // A = 64 x 32 = 4096 bytes fits. partition_n = 8192 / (32 * 2) = 128.
  const Tiling t = tiling_formulas({.m = 64, .n = 256, .k = 32}, printed(8192, 8192, 4096));
  EXPECT_EQ(t.partition_m, 64);
  EXPECT_EQ(t.partition_n, 128);
  EXPECT_EQ(t.partition_k, 32);
  EXPECT_TRUE(t.outer_rowmajor);
  EXPECT_FALSE(t.need_splitk);
  EXPECT_EQ(t.load_a * t.load_b, 1);
  EXPECT_DOUBLE_EQ(t.utilisation, 0.25);  // min(1, 256 * 16 / 4096, 64 * 16 / 4096)
}

TEST(ClosedForm, CaseOneMirrored) {
  const Tiling t = tiling_formulas({.m = 256, .n = 64, .k = 32}, printed(8192, 8192, 4096));
  EXPECT_EQ(t.partition_n, 64);
  EXPECT_EQ(t.partition_m, 128);
  EXPECT_FALSE(t.outer_rowmajor);
}

TEST(ClosedForm, UnequalBuffersKeepTheMatrixThatFits) {
  // m < n asks for A (4096 bytes) in a buffer of 2048; B (16384 bytes) does fit its own.
  const Tiling t = tiling_formulas({.m = 64, .n = 256, .k = 32}, printed(2048, 16384, 4096));
  EXPECT_EQ(t.partition_n, 256);
  EXPECT_EQ(t.partition_m, 32);
}

TEST(ClosedForm, CaseTwoWithoutSplit) {
  TilingLimits limits = printed(32768, 32768, 1024);
  limits.mata_bw = 8;
  limits.acc_buffer_max = 16384;  // 256 partitions of C: split-K would load both 16 times or more
  const Tiling t = tiling_formulas({.m = 1024, .n = 1024, .k = 64}, limits);
  EXPECT_FALSE(t.need_splitk);
  EXPECT_EQ(t.partition_m, 256);  // 32768 / (64 * 2)
  EXPECT_EQ(t.partition_n, 256);
  EXPECT_EQ(t.partition_k, 64);
  EXPECT_TRUE(t.outer_rowmajor);  // mata_bw < matb_bw
  EXPECT_EQ(t.load_a, 1);
  EXPECT_EQ(t.load_b, 4);
  EXPECT_DOUBLE_EQ(t.utilisation, 1.0);
}

TEST(ClosedForm, SplitKShrinksTheAccumulateBuffer) {
  // Unsplit both would be read 128 times. One load takes 524288 cycles, the product 2097152: four loads of each are
  // free, so that C may be cut in 4 x 4 partitions of 128 x 128 x 4 bytes.
  const Tiling t = tiling_formulas({.m = 512, .n = 512, .k = 8192}, printed(65536, 65536, 2048));
  EXPECT_TRUE(t.need_splitk);
  EXPECT_EQ(t.acc_buffer_needed, 65536);
  EXPECT_EQ(t.load_a, 4);
  EXPECT_EQ(t.load_b, 4);
  EXPECT_EQ(t.partition_m, 128);
  EXPECT_EQ(t.partition_n, 128);
  EXPECT_EQ(t.partition_k, 256);  // 65536 / (128 * 2)
  EXPECT_EQ(t.tile_m, 128);       // 8 / (2 * 2) = 2 blocks
  EXPECT_EQ(t.tile_n, 64);
}

TEST(ClosedForm, LoadsFollowTheBandwidths) {
  TilingLimits limits = printed(16384, 16384, 1 << 20);
  limits.mata_bw = 64;  // A is four times cheaper to load: load_a / load_b ~ 4
  limits.acc_buffer_max = 512 * 512 * 4 / 16;
  const Tiling t = tiling_formulas({.m = 512, .n = 512, .k = 16384}, limits);
  EXPECT_EQ(t.load_a, 8);
  EXPECT_EQ(t.load_b, 2);
}

TEST(ClosedForm, LongKForcesSplit) {
  const Tiling t = closed_form({.m = 1, .n = 1, .k = 100000}, printed(1024, 1024, 2048));
  EXPECT_TRUE(t.need_splitk);
  EXPECT_LE(t.partition_k, 512);
}

TEST(ClosedForm, ConvolutionCountsInputPositions) {
  // 3 x 3 on 32 x 32 outputs: B is 34 * 34 * 16 inputs = 36992 bytes, not 9 times as much; it fits and stays.
  GemmShape shape{.m = 2048, .n = 1024, .k = 144};
  shape.conv = ConvShape{.channels = 16, .kernel_h = 3, .kernel_w = 3, .images = 1, .rows = 32, .columns = 32};
  const Tiling t = tiling_formulas(shape, printed(65536, 65536, 2048));
  EXPECT_EQ(t.partition_n, 1024);
  EXPECT_EQ(t.partition_m, 227);  // 65536 / (144 * 2)
}

// A is held once and fits until B has K cut; from there on it is held eight times.
TEST(ClosedForm, ACutOfKForBLeavesRoomForTheCopiesOfA) {
  TilingLimits limits = printed(10 * 32 * 2, 2700, 2048);
  limits.block_size_m = 1, limits.block_size_n = 21;
  limits.buffering = 8;
  const GemmShape shape{.m = 10, .n = 60, .k = 32};
  const Tiling t =
      legalise({.partition_m = 10, .partition_n = 60, .partition_k = 32, .tile_m = 4, .tile_n = 6}, shape, limits);
  EXPECT_LT(t.partition_k, 32);
  EXPECT_EQ(check_tiling(t, shape, limits), "");
}

TEST(ClosedForm, WhatCannotFitNamesItsLimit) {
  TilingLimits limits = printed(64, 1, 2048);
  try {
    closed_form({.m = 4, .n = 4, .k = 4}, limits);
    FAIL() << "a tiling within one byte";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("buffer B"), std::string::npos) << error.what();
  }
}

TEST(ClosedForm, RandomShapesAreLegalOrNameALimit) {
  const bool held = rc::check([] {
    auto size = [](int most) { return static_cast<std::int64_t>(*rc::gen::inRange(1, most)); };
    GemmShape shape{.m = size(3000), .n = size(3000), .k = size(9000), .batches = size(4)};
    if (*rc::gen::arbitrary<bool>()) {
      ConvShape conv{.channels = size(70),
                     .kernel_h = size(6),
                     .kernel_w = size(6),
                     .images = size(4),
                     .rows = size(40),
                     .columns = size(40),
                     .stride_h = size(4),
                     .stride_w = size(4),
                     .dilation_h = size(3),
                     .dilation_w = size(3)};
      shape.conv = conv;
      shape.n = conv.images * conv.rows * conv.columns;
      shape.k = conv.channels * conv.kernel();
    }
    TilingLimits limits;
    limits.d_s = *rc::gen::element<Bytes>(1, 2, 4);
    limits.b_s1 = size(200000), limits.b_s2 = size(200000), limits.acc_buffer_max = size(200000);
    limits.mata_bw = static_cast<double>(size(100)), limits.matb_bw = static_cast<double>(size(100));
    limits.hw_power = static_cast<double>(size(10000));
    limits.block_size_m = size(130), limits.block_size_n = size(130);
    limits.sync_granularity = size(64);
    limits.buffering = *rc::gen::inRange(1, 9);
    limits.acc_bytes_per_row = *rc::gen::element<Bytes>(0, 2, 8);
    limits.acc_bytes_per_column = *rc::gen::element<Bytes>(0, 4);
    try {
      const Tiling t = closed_form(shape, limits);
      RC_ASSERT(check_tiling(t, shape, limits).empty());
      RC_ASSERT(t.utilisation > 0 && t.utilisation <= 1.0);
    } catch (const UserError& error) {
      RC_ASSERT(std::string(error.what()).find("bytes") != std::string::npos);
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace tilewright
