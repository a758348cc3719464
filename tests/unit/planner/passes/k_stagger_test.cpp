// Products cut along their sum: what stays in the buffers between partitions, and which channels the cores read from.
#include "planner/passes/lower/k_stagger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "planner/estimate/bandwidth.h"
#include "planner/ir/access.h"
#include "planner/ir/tiling_point.h"
#include "planner/passes/tile/tiling_choice.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Plan product(std::int64_t m, std::int64_t n, std::int64_t k, const Hardware& hardware, const TilingPoint& point,
             bool row_gaps = true) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {m, k}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {k, n}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  PlanOptions options{.row_gaps = row_gaps};
  options.choices = {choice_of(point, graph, 0, hardware, options.type)};
  return make_plan(std::move(graph), hardware, options);
}

// Elements that the programs load into a buffer.
std::int64_t loaded(const Plan& plan, Space space) {
  std::int64_t elements = 0;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions)
      if (const auto* transfer = std::get_if<Transfer>(&instruction.payload);
          transfer != nullptr && transfer->kind == TransferKind::kLoad && transfer->target.space == space)
        elements += product_of({transfer->shape.begin(), transfer->shape.end()});
  return elements;
}

std::int64_t up_to(std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); }

// Steps of one length, so that it does not matter which of them stay.
RC_GTEST_PROP(OperandReads, AreThoseOfTheProgram, ()) {
  TilingPoint point{.partition_m = 4 * up_to(3), .partition_n = 4 * up_to(3), .partition_k = 8 * up_to(2)};
  point.tile_m = point.partition_m, point.tile_n = point.partition_n;
  point.outer_rowmajor = *rc::gen::arbitrary<bool>();
  const std::int64_t m = point.partition_m * up_to(4), n = point.partition_n * up_to(4),
                     k = point.partition_k * up_to(5);
  const Plan plan = product(m, n, k, chip(), point);
  const Tiling& tiling = plan.operators[0].tilings[0];
  RC_ASSERT(static_cast<double>(loaded(plan, Space::kBufferA)) ==
            std::round(tiling.load_a * static_cast<double>(m * k)));
  RC_ASSERT(static_cast<double>(loaded(plan, Space::kBufferB)) ==
            std::round(tiling.load_b * static_cast<double>(n * k)));
}

// Partitions of 64 x 96 and what they leave of 96 x 128: two copies of four partitions, so that of A each of the eight
// later columns finds about half, not the nine tenths that the largest two would be.
TEST(OperandReads, UnequalPartitionsCountAsEquallyLarge) {
  const Plan plan = product(
      96, 9 * 16, 128, chip(),
      {.partition_m = 64, .partition_n = 16, .partition_k = 96, .tile_m = 64, .tile_n = 16, .outer_rowmajor = false});
  const Tiling& tiling = plan.operators[0].tilings[0];
  const double program = static_cast<double>(loaded(plan, Space::kBufferA)) / (96 * 128);
  EXPECT_DOUBLE_EQ(tiling.load_a, 5);
  EXPECT_NEAR(program, tiling.load_a, 0.5);
  EXPECT_LE(least_operand_reads(tiling, {.m = 96, .n = 144, .k = 128}, TilingLimits{}, 2, 9).a, program);
}

TEST(OperandReads, TheStepsLoadedLastServeTheNextPartition) {
  // Three rows of partitions, four steps of K, two copies of each operand: of B the later two rows load two steps each.
  const Plan plan = product(96, 32, 128, chip(),
                            {.partition_m = 32, .partition_n = 32, .partition_k = 32, .tile_m = 32, .tile_n = 32});
  EXPECT_EQ(loaded(plan, Space::kBufferA), 96 * 128);
  EXPECT_EQ(loaded(plan, Space::kBufferB), 32 * (128 + 64 + 64));
  EXPECT_DOUBLE_EQ(plan.operators[0].tilings[0].load_b, 2);
  expect_values(plan);
}

// Share of DRAM's channels from which the cores read their first steps of A.
double first_share(const Plan& plan) {
  std::set<std::size_t> steps;
  const auto& items = plan.operators[0].split.items;
  for (std::size_t i = 0; i < items.size(); ++i) steps.insert(first_k_step(plan, 0, i));
  const Bytes run = 2 * plan.operators[0].tilings[0].partition_k;
  return channel_share(plan.hardware.dram, run * std::ssize(steps), 2 * plan.graph.tensor(0).shape[1]);
}

TilingPoint cut_along_k(std::int64_t parts_n) {
  return {.parts_m = 4,
          .parts_n = parts_n,
          .partition_m = 64,
          .partition_n = 64,
          .partition_k = 128,
          .tile_m = 64,
          .tile_n = 64};
}

// Rows of 2 KiB over eight channels of 256 bytes: 128 elements of each row lie in one channel.
TEST(SumTurn, CoresReadFromAllChannelsAtATime) {
  const Plan plan = product(256, 256, 1024, chip(), cut_along_k(4), false);
  EXPECT_EQ(first_share(plan), 1);
  expect_values(plan);
}

TEST(LoadGroup, IsTheClusterWhereItHasACache) {
  const Hardware alone = chip(), cached = chip({.file = "quad_smp_cache.yaml"});
  for (int core = 0; core < 16; ++core) {
    EXPECT_EQ(alone.load_group(core), core);
    EXPECT_EQ(cached.load_group(core), core / 4);
  }
}

TEST(LoadGroup, IsTheChipWhereRoutersCopy) {
  Hardware multicast = chip({.file = "quad_smp_cache.yaml"});
  multicast.network.multicast = 1;
  for (int core = 0; core < 16; ++core) EXPECT_EQ(multicast.load_group(core), 0);
}

// Memory that programs address holds nothing that another core has read.
TEST(LoadGroup, IsTheCoreWhereAClusterHasMemoryButNoCache) {
  Hardware addressed = chip({.file = "quad_smp_cache.yaml"});
  addressed.cluster_memory->addressed_ways = addressed.cluster_memory->ways;
  for (int core = 0; core < 16; ++core) EXPECT_EQ(addressed.load_group(core), core);
}

TEST(SumTurn, CoresBehindACacheGoTogether) {
  const Plan plan = product(256, 256, 1024, chip({.file = "quad_smp_cache.yaml"}), cut_along_k(4), false);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(first_k_step(plan, 0, i), i / 4);
}

// Rows of 2,304 bytes, or that far apart, begin in another channel each; a hash spreads them; and a single row is read
// as it comes.
TEST(SumTurn, StepsThatLieInAllChannelsNeedNone) {
  Hardware hashed = chip();
  hashed.dram.interleave_hash = true;
  EXPECT_EQ(first_k_step(product(256, 256, 1152, chip(), cut_along_k(4)), 0, 5), 0u);
  EXPECT_EQ(first_k_step(product(256, 256, 1024, chip(), cut_along_k(4)), 0, 5), 0u);
  EXPECT_EQ(first_k_step(product(256, 256, 1024, hashed, cut_along_k(4)), 0, 5), 0u);
  EXPECT_EQ(first_k_step(product(1, 256, 1024, chip(), cut_along_k(4)), 0, 3), 0u);
}

}  // namespace
}  // namespace tilewright::test
