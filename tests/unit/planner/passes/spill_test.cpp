// Sums that wait in the input buffers: how many tiles, where, and when there is no room for them.
#include "planner/ir/spill.h"

#include <gtest/gtest.h>

#include "planner/estimate/tiling_time.h"
#include "planner/ir/element_types.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// Of 64 x 64 sums in tiles of 16 x 32, 2 KiB each, the accumulate buffer keeps two beside two places that take turns;
// the other six lie behind 2 x 64 x 16 elements of A and as many of B.
constexpr GemmShape kSpillShape{.m = 64, .n = 64, .k = 128};
constexpr Bytes kSpillOperand = 2 * 64 * 16 * 2, kSpillTile = 16 * 32 * 4;

TilingLimits spill_limits() {
  TilingLimits l;
  l.b_s1 = kSpillOperand + 2 * kSpillTile, l.b_s2 = kSpillOperand + 4 * kSpillTile, l.acc_buffer_max = 4 * kSpillTile;
  l.may_spill = true;
  return l;
}

Tiling spill_tiling(const TilingLimits& l) {
  Tiling t{.partition_m = 64, .partition_n = 64, .partition_k = 16, .tile_m = 16, .tile_n = 32};
  derive(t, kSpillShape, l);
  return t;
}

TEST(Spill, FillsBufferAAndThenB) {
  const auto spill = spill_of(spill_tiling(spill_limits()), kSpillShape, spill_limits());
  ASSERT_TRUE(spill);
  EXPECT_EQ(spill->kept, 2);
  EXPECT_EQ(spill->turns, 2);
  EXPECT_EQ(spill->in_a, 2);
  EXPECT_EQ(spill->in_b, 4);
  EXPECT_EQ(spill->tile, kSpillTile);
  EXPECT_EQ(spilled_at_a(spill_tiling(spill_limits()), kSpillShape, spill_limits()), kSpillOperand);
  EXPECT_EQ(accumulator_bytes(spill_tiling(spill_limits()), kSpillShape, spill_limits()), 4 * kSpillTile);
  EXPECT_EQ(check_tiling(spill_tiling(spill_limits()), kSpillShape, spill_limits()), "");
}

TEST(Spill, IsIllegalWithAByteLess) {
  for (Bytes TilingLimits::*memory : {&TilingLimits::b_s1, &TilingLimits::b_s2, &TilingLimits::acc_buffer_max}) {
    TilingLimits less = spill_limits();
    less.*memory -= 1;
    EXPECT_FALSE(spill_of(spill_tiling(less), kSpillShape, less));
    EXPECT_EQ(accumulator_bytes(spill_tiling(less), kSpillShape, less), 64 * 64 * 4);
    EXPECT_NE(check_tiling(spill_tiling(less), kSpillShape, less), "");
  }
}

TEST(Spill, IsNoneWhereAllSumsFit) {
  TilingLimits large = spill_limits();
  large.acc_buffer_max = 64 * 64 * 4;
  EXPECT_FALSE(spill_of(spill_tiling(large), kSpillShape, large));
  large.acc_buffer_max -= 1;
  EXPECT_EQ(spill_of(spill_tiling(large), kSpillShape, large)->kept, 5);
  EXPECT_FALSE(spill_of(spill_tiling(large), kSpillShape, without_spill(large)));
}

TEST(Spill, OfAConvolutionCountsItsBoxesOfOutputs) {
  GemmShape conv{.m = 32, .n = 60, .k = 72};
  conv.conv = ConvShape{.channels = 8, .kernel_h = 3, .kernel_w = 3, .rows = 6, .columns = 10};
  TilingLimits l;
  l.b_s1 = 1 << 14, l.b_s2 = 1 << 14, l.may_spill = true;
  Tiling t{.partition_m = 32, .partition_n = 60, .partition_k = 36, .tile_m = 32, .tile_n = 25};  // two rows each
  l.acc_buffer_max = 2 * 32 * 20 * 4;
  derive(t, conv, l);
  const auto spill = spill_of(t, conv, l);
  ASSERT_TRUE(spill);
  EXPECT_EQ(spill->tile, 32 * 20 * 4);
  EXPECT_EQ(spill->kept, 0);
  EXPECT_EQ(spill->tiles(), 3);
}

// Neither partial results of several cores nor sums of integers, which fp32 does not hold, wait there.
TEST(Spill, IsForWholeSumsOfFloats) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 96}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {96, 128}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  for (const DataType type : {DataType::kBf16, DataType::kInt8}) {
    Plan plan = make_plan(graph, chip(), {.type = type}, {.stop_after = "fuse"});
    assign_types(plan);
    const BoxRange box{{0, 64}, {0, 128}};
    const auto whole = make_contraction(plan, plan.graph.op(0), box);
    const auto partial = make_contraction(plan, plan.graph.op(0), box, {0, 48});
    EXPECT_EQ(tiling_limits(plan, plan.graph.op(0), *whole).may_spill, type == DataType::kBf16);
    EXPECT_FALSE(tiling_limits(plan, plan.graph.op(0), *partial).may_spill);
  }
}

// What waits in which buffer, instruction by instruction.
TEST(Spill, TheVectorUnitAddsWhatDoesNotStay) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 96}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {96, 64}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  const Hardware small = chip({.buffer_a = 12 << 10, .buffer_b = 16 << 10, .accumulator = 8 << 10});
  OperatorChoice choice;
  choice.split.items = {{0, {{0, 64}, {0, 64}}}};
  Tiling t{.partition_m = 64, .partition_n = 64, .partition_k = 32, .tile_m = 32, .tile_n = 16};
  t.need_splitk = t.use_acc_buffer = true;
  choice.tilings = {t};
  PlanOptions options;
  options.choices = {choice};
  const Plan plan = make_plan(graph, small, options);
  expect_values(plan);
  int copies = 0, adds_there = 0, adds_here = 0;
  for (const Instruction& instruction : plan.program.cores[0].instructions) {
    const auto* vector = std::get_if<Vector>(&instruction.payload);
    if (vector == nullptr) continue;
    const bool there = vector->target.space != Space::kAccumulator;
    copies += there && vector->op == VectorOp::kCopy;
    adds_there += there && vector->op == VectorOp::kAdd;
    adds_here += !there && vector->op == VectorOp::kAdd;
  }
  // Of eight tiles of 2 KiB two stay; three steps of K.
  EXPECT_EQ(copies, 6);
  EXPECT_EQ(adds_there, 6);
  EXPECT_EQ(adds_here, 6);
}

}  // namespace
}  // namespace tilewright::test
