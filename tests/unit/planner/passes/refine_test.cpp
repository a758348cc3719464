// Refined tilings: bounded on the smallest buffers, never on few channels of DRAM, and long streams where they fit.
#include "planner/passes/tile/refine.h"

#include "planner/estimate/bandwidth.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

DramSpec eight_channels(bool hash = false) {
  DramSpec dram;
  dram.channels = 8, dram.interleave_bytes = 256, dram.interleave_hash = hash;
  return dram;
}

TEST(RunEfficiency, PitchesOfAllChannelsMeetFewOfThem) {
  EXPECT_DOUBLE_EQ(channel_share(eight_channels(), 256, 2048), 1.0 / 8);
  EXPECT_DOUBLE_EQ(channel_share(eight_channels(), 320, 2048), 2.0 / 8);
  EXPECT_DOUBLE_EQ(channel_share(eight_channels(), 256, 3072), 2.0 / 8);
  EXPECT_DOUBLE_EQ(channel_share(eight_channels(), 64, 2304), 1);
  EXPECT_DOUBLE_EQ(channel_share(eight_channels(), 2048, 2048), 1);
  EXPECT_DOUBLE_EQ(channel_share(eight_channels(true), 256, 2048), 1);
}

TEST(RunEfficiency, ShortVisitsPayForTheirRows) {
  EXPECT_DOUBLE_EQ(visit_efficiency(eight_channels(), 64), 1 / 1.7);    // one burst
  EXPECT_DOUBLE_EQ(visit_efficiency(eight_channels(), 256), 4 / 4.7);   // four in one channel
  EXPECT_DOUBLE_EQ(visit_efficiency(eight_channels(), 512), 4 / 4.7);   // four in each of two
  EXPECT_DOUBLE_EQ(visit_efficiency(eight_channels(), 4096), 8 / 8.7);  // eight in each of eight
}

TEST(RunEfficiency, BurstsMoveInWhole) {
  EXPECT_DOUBLE_EQ(burst_share(eight_channels(), 64, 2048), 1);
  EXPECT_DOUBLE_EQ(burst_share(eight_channels(), 32, 2048), 0.5);       // half a burst, never across two
  EXPECT_DOUBLE_EQ(burst_share(eight_channels(), 96, 96), 96.0 / 128);  // two bursts, wherever it begins
  EXPECT_DOUBLE_EQ(burst_share(eight_channels(), 128, 2048 + 16), 128.0 / 176);
}

Plan product_on(const Small& small, std::int64_t m, std::int64_t k, std::int64_t n, PlanOptions options = {}) {
  Graph graph;
  graph.name = "product";
  const TensorId a = add_tensor(graph, "a", {m, k}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {k, n}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  return make_plan(std::move(graph), chip(small), options);
}

// No height of a partition fits twice at first: the search for one ends all the same.
TEST(Refine, EndsOnBuffersBelowOneBlock) {
  for (const Bytes bytes : {512, 700, 1024, 4096}) {
    const Plan plan = product_on({.buffer_a = bytes, .buffer_b = bytes, .accumulator = bytes}, 67, 150, 91);
    expect_values(plan);
  }
}

// Rows of 2 KiB behind one another over eight channels of 256 bytes: a part of K of 256 bytes would come from one.
TEST(Refine, StepsOfKReachAllChannels) {
  const Plan plan = product_on({}, 384, 1024, 1024, {.row_gaps = false});
  for (const Tiling& tiling : plan.operators[0].tilings)
    EXPECT_GE(channel_share(plan.hardware.dram, 2 * tiling.partition_k, 2048), 0.5) << tiling.reason;
}

// Buffer B holds 16 columns of all of K, or strips that fill the array over a part of K; with the former every product
// loads weights for one block only.
TEST(Refine, StartsFromPartitionsThatCutKWhereBIsSmall) {
  Hardware hardware = chip({.buffer_b = 8 << 10});
  hardware.core.matmul.columns = 16;
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {192, 960}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {960, 96}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  const Plan plan = make_plan(std::move(graph), hardware, {});
  for (const Tiling& tiling : plan.operators[0].tilings) {
    EXPECT_LT(tiling.partition_k, 960) << tiling.reason;
    EXPECT_GE(tiling.partition_n, 16) << tiling.reason;
  }
}

// Weights are held while the outputs of all images stream: 64 images of 7 x 7, which fit the accumulate buffer.
TEST(Refine, ConvolutionsStreamAllImagesPastTheirWeights) {
  Graph graph;
  graph.name = "convolution";
  const TensorId x = add_tensor(graph, "x", {64, 512, 7, 7}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {512, 512, 3, 3}, TensorKind::kConstant);
  Attributes attributes;
  attributes.pads = {1, 1, 1, 1};
  add_op(graph, "convolution", OpKind::kConv, {x, w}, attributes);
  const Plan plan = make_plan(std::move(graph), chip({"tpu_v3_core.yaml"}), {.type = DataType::kFp32});
  ASSERT_EQ(plan.operators[0].tilings.size(), 1u);
  const Tiling& tiling = plan.operators[0].tilings[0];
  EXPECT_EQ(tiling.tile_n, 64 * 7 * 7);
  EXPECT_TRUE(tiling.a_stationary);
}

}  // namespace
}  // namespace tilewright::test
