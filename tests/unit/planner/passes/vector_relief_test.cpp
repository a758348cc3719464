// What the vector unit is spared in attention: sums of a softmax's rows, which the array forms, and where the one lies
// that it needs for them; a factor of the scores, which rows of queries are multiplied with.
#include "planner/emit/chain/vector_relief.h"

#include <gtest/gtest.h>

#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/row_sums.h"
#include "sim/isa/unit_time.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr Attention kLongRows{.heads = 4, .rows = 64, .keys = 128, .width = 16};

Hardware with_lanes(int lanes, std::int64_t buffer_b = 0) {
  Hardware hardware = chip({.file = "dual_cluster.yaml", .buffer_b = buffer_b});
  hardware.core.vector.lanes = lanes;
  return hardware;
}

// Units that sum up rows, of all cores: products with one column and reductions by the softmax.
struct RowSumCount {
  int products = 0, reductions = 0;
};
RowSumCount row_sum_count(const Plan& plan) {
  RowSumCount count;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions) {
      const auto* matmul = std::get_if<Matmul>(&instruction.payload);
      const auto* vector = std::get_if<Vector>(&instruction.payload);
      count.products += matmul && matmul->n == MatmulExtents{1, 1, 1};
      count.reductions += vector && vector->op == VectorOp::kReduceAdd;
    }
  return count;
}

TEST(RowSums, AreFormedByTheUnitThatHasLessToDo) {
  for (const auto& [lanes, on_array] : {std::pair{8, true}, std::pair{1024, false}}) {
    SCOPED_TRACE(lanes);
    const Plan plan = make_plan(attention(kLongRows), with_lanes(lanes), attention_group());
    ASSERT_EQ(plan.groups.size(), 1u);
    const RowSumCount count = row_sum_count(plan);
    EXPECT_EQ(count.products > 0, on_array);
    EXPECT_EQ(count.reductions > 0, !on_array);
    EXPECT_EQ(macs_of_row_sums(plan), on_array ? 4 * 64 * 128 : 0);
    expect_values(plan);
  }
}

// Rows that come in blocks of columns.
TEST(RowSums, RunOnOverBlocks) {
  Hardware small = with_lanes(8, 8192);
  small.core.accumulator = 16384;
  const Plan plan = make_plan(attention(kLongRows), small, attention_group());
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_LT(plan.operators[0].tilings[0].tile_n, 128);
  EXPECT_GT(row_sum_count(plan).products, 0);
  expect_values(plan);
}

// A core has one head, or two in turn: keys and values of 128 x 16 bf16 values are 4 KiB each.
TEST(RowSums, NeedAPlaceBesideTheOperands) {
  const auto areas_with = [](int heads, std::int64_t buffer_b) {
    const Plan plan =
        make_plan(attention({.heads = heads, .rows = 64, .keys = 128, .width = 16}), with_lanes(8), attention_group());
    Plan small = plan;
    small.hardware.core.buffer_b = buffer_b;
    const OperatorGroup& group = small.groups.at(0);
    const auto areas = chain_areas(Chain(small, group, small.operators[group.members.back()].split.items[0].output),
                                   {.rows = 32, .columns = 128});
    return areas.value();
  };
  const auto alone = areas_with(4, 8192 + 64);
  EXPECT_TRUE(alone[0].one);
  EXPECT_FALSE(areas_with(4, 8192 + 63)[0].one);
  const auto two = areas_with(8, 16384 + 64);
  EXPECT_TRUE(two[0].one);
  EXPECT_EQ(two[1].copies_of_b, 2);
  const auto in_turn = areas_with(8, 16384 + 63);
  EXPECT_TRUE(in_turn[0].one);
  EXPECT_EQ(in_turn[0].copies_of_b, 2);
  EXPECT_EQ(in_turn[1].copies_of_b, 1);
}

// Elements that vector instructions multiply with a number in buffer A and in the accumulate buffer.
std::pair<std::int64_t, std::int64_t> elements_multiplied(const Plan& plan) {
  std::int64_t rows = 0, scores = 0;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions) {
      const auto* vector = std::get_if<Vector>(&instruction.payload);
      if (vector && vector->op == VectorOp::kMul && vector->b_is_immediate)
        (vector->a.space == Space::kBufferA ? rows : scores) += distinct_elements(vector->shape, {1, 1, 1, 1, 1});
    }
  return {rows, scores};
}

TEST(FactorOfScores, IsOneOfTheRowsWhereTheVectorUnitHasMoreToDo) {
  Attention scaled = kLongRows;
  scaled.root = 4;
  for (const auto& [lanes, on_rows] : {std::pair{8, true}, std::pair{1024, false}}) {
    SCOPED_TRACE(lanes);
    const Plan plan = make_plan(attention(scaled), with_lanes(lanes), attention_group());
    ASSERT_EQ(plan.groups.size(), 1u);
    const auto [rows, scores] = elements_multiplied(plan);
    EXPECT_EQ(rows, on_rows ? 4 * 64 * 16 : 0);
    EXPECT_EQ(scores, on_rows ? 0 : 4 * 64 * 128);
    expect_values(plan);
  }
}

// Rows of 64 values against 48 scores.
TEST(FactorOfScores, StaysWhereRowsHaveMoreElements) {
  const Attention wide{.heads = 4, .rows = 64, .keys = 48, .width = 64, .root = 8};
  const Plan plan = make_plan(attention(wide), with_lanes(8), attention_group());
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_EQ(elements_multiplied(plan).first, 0);
  expect_values(plan);
}

TEST(FactorOfScores, HoldsForAllBlocksOfARow) {
  Attention scaled = kLongRows;
  scaled.root = 4;
  Hardware small = with_lanes(8, 8192);
  small.core.accumulator = 16384;
  const Plan plan = make_plan(attention(scaled), small, attention_group());
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_LT(plan.operators[0].tilings[0].tile_n, 128);
  EXPECT_EQ(elements_multiplied(plan), (std::pair<std::int64_t, std::int64_t>{4 * 64 * 16, 0}));
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
