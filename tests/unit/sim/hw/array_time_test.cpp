#include "sim/hw/timing/array_time.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

MatmulSpec array(Dataflow dataflow, TileOverlap overlap, int rows = 8, int columns = 8) {
  MatmulSpec spec;
  spec.rows = rows;
  spec.columns = columns;
  spec.dataflow = dataflow;
  spec.overlap = overlap;
  spec.rate = {0, 1, 1, 2, 0};
  return spec;
}
const MatmulSpec kWeight = array(Dataflow::kWeightStationary, TileOverlap::kFull);
const MatmulSpec kOutput = array(Dataflow::kOutputStationary, TileOverlap::kFull);

TEST(MatmulTiming, WeightStationaryFollowsOnnxim) {
  ArrayTime time = array_time(kWeight, {.m = 40, .n = 40, .k = 200});
  EXPECT_EQ(time.blocks, 5 * 25);
  EXPECT_EQ(time.fill, 2 * 8 - 1);
  EXPECT_EQ(time.occupancy, 125 * 40);
  EXPECT_EQ(time.drain, 8 + 8 - 2);
}

TEST(MatmulTiming, ABlockIsNeverShorterThanItsWeightLoad) {
  ArrayTime time = array_time(kWeight, {.m = 1, .n = 8, .k = 8});
  EXPECT_EQ(time.occupancy, 8);
  EXPECT_EQ(time.fill + time.occupancy + time.drain, 15 + 4 + 14);  // start + rows (at least 4) + H + W - 2
}

TEST(MatmulTiming, ShortRunsCostAtLeastTheShortestBlock) {
  // 3 rows of 17 outputs: each 8 + 8 + 4 cycles, once per weight block.
  EXPECT_EQ(array_time(kWeight, {.m = 51, .n = 8, .k = 8, .run = 17}).occupancy, 60);
  EXPECT_EQ(array_time(kWeight, {.m = 51, .n = 8, .k = 8}).occupancy, 48 + 4);
}

TEST(MatmulTiming, StationaryAExchangesTheRoles) {
  ArrayTime a = array_time(kWeight, {.m = 16, .n = 100, .k = 24, .a_stationary = true});
  ArrayTime b = array_time(kWeight, {.m = 100, .n = 16, .k = 24});
  EXPECT_EQ(a.blocks, b.blocks);
  EXPECT_EQ(a.occupancy, b.occupancy);
}

TEST(MatmulTiming, OutputStationaryStreamsK) {
  EXPECT_EQ(array_time(kOutput, {.m = 16, .n = 16, .k = 100}).occupancy, 4 * 100);
  EXPECT_EQ(array_time(kOutput, {.m = 16, .n = 16, .k = 3}).occupancy, 4 * 8);  // eight rows leave the array
  EXPECT_EQ(array_time(kOutput, {.m = 16, .n = 16, .k = 100}).fill, 0);
}

TEST(MatmulTiming, WeightsThatLoadBehindTheBlockBeforeLeaveTheDrain) {
  const MatmulSpec none = array(Dataflow::kWeightStationary, TileOverlap::kNone);
  const MatmulSpec weights = array(Dataflow::kWeightStationary, TileOverlap::kWeights);
  EXPECT_EQ(array_time(none, {.m = 40, .n = 16, .k = 24}).occupancy, 6 * (40 + 2 * 8 + 8 - 2));
  EXPECT_EQ(array_time(weights, {.m = 40, .n = 16, .k = 24}).occupancy, 6 * (40 + 8 + 8 - 2));
}

TEST(MatmulTiming, BlocksLeftOverAreSharedWithoutOverlapToo) {
  MatmulSpec two = array(Dataflow::kWeightStationary, TileOverlap::kNone);
  two.arrays = 2;
  EXPECT_EQ(array_time(two, {.m = 40, .n = 8, .k = 24}).occupancy, (40 + 22) + (20 + 22));
}

TEST(MatmulTiming, FewImagesArePaddedToTheGranule) {
  MatmulSpec eight = kWeight;
  eight.image_granule = 8;
  const ArrayWork one{.m = 8, .n = 20, .k = 8, .a_stationary = true, .kernel = 1, .images = 1};
  EXPECT_EQ(array_time(eight, one).occupancy, 8 * 20);
  EXPECT_EQ(array_time(eight, {.m = 8, .n = 180, .k = 8, .a_stationary = true, .images = 9}).occupancy, 16 * 20);
  EXPECT_EQ(array_time(eight, {.m = 8, .n = 20, .k = 8, .a_stationary = true}).occupancy, 16 + 4);  // a plain product
}

TEST(MatmulTiming, OneOverlappedOutputBlockTakesAsLongAsOneAlone) {
  MatmulSpec alone = array(Dataflow::kOutputStationary, TileOverlap::kNone, 4, 16);
  MatmulSpec overlapped = array(Dataflow::kOutputStationary, TileOverlap::kFull, 4, 16);
  ArrayTime time = array_time(overlapped, {.m = 4, .n = 16, .k = 50});
  EXPECT_EQ(time.fill + time.occupancy + time.drain, array_time(alone, {.m = 4, .n = 16, .k = 50}).occupancy);
}

TEST(MatmulTiming, RateSpeedsUpTheStream) {
  EXPECT_EQ(array_time(kWeight, {.m = 64, .n = 8, .k = 8, .type = DataType::kInt8}).occupancy, 32);
  EXPECT_THROW(array_time(kWeight, {.m = 64, .n = 8, .k = 8, .type = DataType::kFp32}), InternalError);
  EXPECT_THROW(array_time(kWeight, {.m = 0, .n = 8, .k = 8}), InternalError);
}

TEST(MatmulTiming, BlocksAreDistributedOverArrays) {
  MatmulSpec two = kWeight;
  two.arrays = 2;
  EXPECT_EQ(array_time(two, {.m = 40, .n = 24, .k = 8}).occupancy, 40 + 20);  // the third block on both
  EXPECT_EQ(array_time(two, {.m = 12, .n = 24, .k = 8}).occupancy, 12 + 8);   // but not faster than its weights load
}

TEST(MatmulTiming, KernelPositionsMayNeedPassesOfTheirOwn) {
  const ArrayWork conv{.m = 40, .n = 8, .k = 4 * 9, .kernel = 9};
  EXPECT_EQ(array_time(kWeight, conv).blocks, 5);
  MatmulSpec one_at_a_time = kWeight;
  one_at_a_time.pack_kernel = false;
  EXPECT_EQ(array_time(one_at_a_time, conv).blocks, 9);
}

TEST(MatmulTiming, Fp16OperandsAreConvertedBeforeTheBlocksStream) {
  MatmulSpec spec = kWeight;
  ArrayWork work{.m = 16, .n = 8, .k = 8, .type = DataType::kFp16};
  const ArrayTime native = array_time(spec, work);
  spec.fp16_elements_per_cycle = 19;
  const ArrayTime converted = array_time(spec, work);
  EXPECT_EQ(converted.occupancy, native.occupancy + 11);  // (16 + 8) * 8 elements
  EXPECT_EQ(converted.fill, native.fill - 11);            // the first weights enter meanwhile
  EXPECT_EQ(converted.drain, native.drain);
  spec.fp16_elements_per_cycle = 1;
  EXPECT_EQ(array_time(spec, work).fill, 0);
  work.type = DataType::kBf16;
  EXPECT_EQ(array_time(spec, work).occupancy, native.occupancy);
}

TEST(MatmulTiming, AddersOfSeveralInputsShortenThePipe) {
  MatmulSpec spec = kWeight;
  spec.adder_inputs = 4;
  const ArrayTime time = array_time(spec, {.m = 32, .n = 8, .k = 8});
  EXPECT_EQ(time.fill, 8 + 2 - 1);
  EXPECT_EQ(time.drain, 2 + 8 - 2);
  EXPECT_EQ(time.occupancy, array_time(kWeight, {.m = 32, .n = 8, .k = 8}).occupancy);
  spec.rows = 64, spec.adder_inputs = 64;
  EXPECT_EQ(array_time(spec, {.m = 1, .n = 8, .k = 8}).drain, 0);
  MatmulSpec output = kOutput;
  output.adder_inputs = 4;
  EXPECT_EQ(array_time(output, {.m = 8, .n = 8, .k = 9}).drain, array_time(kOutput, {.m = 8, .n = 8, .k = 9}).drain);
}

TEST(MatmulTiming, IssueIsLeftToTheCaller) {
  MatmulSpec slow = kOutput;
  slow.issue_cycles = 7;
  EXPECT_EQ(array_time(slow, {.m = 8, .n = 8, .k = 100}).occupancy, 100);
}

}  // namespace
}  // namespace tilewright
