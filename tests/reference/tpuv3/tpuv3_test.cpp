// The measured chip: the mean error is inside its band, and rows of other sizes are understood.
#include "validation/tpuv3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "validation/tpuv3_workload.h"

namespace tilewright {
namespace {

TEST(TpuV3, MeanErrorIsInItsBand) {
  Session core(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v3_core.yaml"));
  const ValidationReport report = validate_tpuv3(TILEWRIGHT_SOURCE_DIR "/tests/reference/tpuv3/tpuv3.csv", core);
  EXPECT_EQ(report.rows.back().group, "tpuv3 mean error");
  EXPECT_LE(report.rows.back().ours, 15) << to_text(report, true);
  EXPECT_TRUE(report.rows.back().ok);
}

std::int64_t macs(const std::string& op, const std::string& dims) {
  std::int64_t sum = 0;
  for (const Graph& kernel : tpuv3_kernels("t:1", op, dims))
    for (const Operator& part : kernel.operators()) sum += mac_count(kernel, part);
  return sum;
}

TEST(TpuV3, OtherSizesAreBuilt) {
  EXPECT_EQ(macs("gemm", "gemm_256x512x1024"), 256 * 512 * 1024);
  EXPECT_EQ(macs("attention", "heads=12;seq=128;head_dim=64"), 2 * 12 * 128 * 128 * 64);
  EXPECT_EQ(macs("network", "bert_large encoder block, seq=128"), 128 * 12 * 1024 * 1024 + 2 * 16 * 128 * 128 * 64);
}

TEST(TpuV3, ImagesArePaddedToEight) {
  EXPECT_EQ(macs("conv", "N=2;H=14;W=14;C=8;K=16;R=S=3;stride=2;pad=1"), 8 * 7 * 7 * 8 * 16 * 9);
  EXPECT_EQ(macs("conv", "N=9;H=14;W=14;C=8;K=16;R=S=3;stride=2;pad=1"), 16 * 7 * 7 * 8 * 16 * 9);
  EXPECT_EQ(macs("network", "resnet18 batch=1"), 8 * std::int64_t{1814073344});
  EXPECT_EQ(macs("network", "resnet50 batch=2"), 8 * std::int64_t{4089184256});
}

TEST(TpuV3, AReductionEndsAKernel) {
  EXPECT_EQ(tpuv3_kernels("t:1", "softmax", "softmax_64x128").size(), 3u);
  EXPECT_EQ(tpuv3_kernels("t:1", "layernorm", "layernorm_64x128").size(), 5u);
}

// Into the layout of a batch normalisation and back, where the network begins and ends: one reading for both sums, one
// for the result.
TEST(TpuV3, ALayerNormalisationIsABatchNormalisationOfRows) {
  const auto kind = [](const Graph& kernel) { return kernel.operators().back().kind; };
  const auto norm = tpuv3_kernels("t:1", "layernorm", "layernorm_64x128");
  EXPECT_EQ(kind(norm[0]), OpKind::kMul);
  EXPECT_EQ(kind(norm[1]), OpKind::kReduceMean);
  EXPECT_EQ(kind(norm[3]), OpKind::kDiv);
  EXPECT_EQ(kind(norm[4]), OpKind::kMul);
  EXPECT_EQ(kind(tpuv3_kernels("t:1", "network", "bert_base encoder block, seq=128").back()), OpKind::kMul);
}

// The scores with their maxima, the sums, the context; a product with the first of the reductions that normalise it.
TEST(TpuV3, WhatIsReducedOfAProductComesWithIt) {
  const auto attention = tpuv3_kernels("t:1", "attention", "heads=2;seq=128;head_dim=64");
  ASSERT_EQ(attention.size(), 3u);
  EXPECT_TRUE(attention[0].find_operator("scores"));
  EXPECT_EQ(attention[0].operators().back().kind, OpKind::kReduceMax);
  const auto block = tpuv3_kernels("t:1", "network", "bert_base encoder block, seq=128");
  EXPECT_EQ(block.size(), 3u + 3 + 3 + 1 + 3 + 1);
  EXPECT_EQ(block[6].operators().back().kind, OpKind::kReduceMean);
}

TEST(TpuV3, UnknownWorkloadsAreTold) {
  try {
    tpuv3_kernels("table.csv:7", "network", "alexnet batch=1");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("table.csv:7"));
    EXPECT_THAT(error.what(), testing::HasSubstr("alexnet"));
  }
}

}  // namespace
}  // namespace tilewright
