#include "validation/library_gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

using ::testing::SizeIs;

Hardware a100() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/a100.yaml"); }

TEST(LibraryGemm, ManyTilesAreDealtOutWholeAndNotSplit) {
  const LibraryGemm gemm = library_gemm(a100(), 4096, 4096, 1024);
  EXPECT_EQ(gemm.m * gemm.n, 256 * 128);
  EXPECT_EQ(gemm.parts, 1);
}

TEST(LibraryGemm, FewTilesOfALongSumAreSplitAndAddedByASecondKernel) {
  const LibraryGemm gemm = library_gemm(a100(), 64, 64, 16384);
  EXPECT_GT(gemm.parts, 1);
  const auto kernels = library_kernels(a100(), 64, 64, 16384);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_THAT(kernels[0].options.choices.front().split.items, SizeIs(gemm.parts));
}

TEST(LibraryGemm, NoCoreHasLessThanATileUnlessTheProductEnds) {
  const auto kernels = library_kernels(a100(), 8192, 5120, 128);
  ASSERT_THAT(kernels, SizeIs(1));
  const OperatorChoice& choice = kernels[0].options.choices.front();
  EXPECT_LE(choice.split.items.size(), 108U);
  for (const WorkItem& item : choice.split.items) {
    EXPECT_TRUE(item.output[0].begin % 64 == 0 && item.output[1].begin % 64 == 0);
    EXPECT_TRUE(item.output[0].size() > 0 && item.output[1].size() > 0);
  }
}

TEST(LibraryGemm, TheProductIsWhole) {
  const auto kernels = library_kernels(a100(), 3, 5, 7);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(mac_count(kernels[0].graph, kernels[0].graph.op(0)), 3 * 5 * 7);
}

}  // namespace
}  // namespace tilewright
