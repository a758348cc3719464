// Rows of inputs and results that lie further apart than they are long: how far, which do, and that values stay right.
#include "planner/passes/allocate/row_gaps.h"

#include <gtest/gtest.h>

#include "planner/ir/access.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/row_pitch.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

DramSpec channels_of_256(int channels, int regions = 1) {
  DramSpec dram = chip().dram;
  dram.channels = channels, dram.regions = regions, dram.interleave_bytes = 256;
  return dram;
}

TEST(RowPitch, IsTheLeastWithoutADivisorOfTheChannels) {
  EXPECT_EQ(row_pitch(channels_of_256(8), 2048), 2304);
  EXPECT_EQ(row_pitch(channels_of_256(8), 1280), 1280) << "five chunks already";
  EXPECT_EQ(row_pitch(channels_of_256(6), 9 * 256), 11 * 256) << "neither nine nor ten";
  EXPECT_EQ(row_pitch(channels_of_256(7), 2048), 2048);
  EXPECT_EQ(row_pitch(channels_of_256(7), 7 * 256), 2048);
  EXPECT_EQ(row_pitch(channels_of_256(8, 4), 2048), 2304) << "two channels in each region";
  EXPECT_EQ(row_pitch(channels_of_256(1), 2048), 2048);
}

TEST(RowPitch, IsTheRowWhereAGapHelpsNothing) {
  EXPECT_EQ(row_pitch(channels_of_256(8), 2048 + 64), 2048 + 64) << "no whole chunks: they begin everywhere";
  DramSpec hashed = channels_of_256(8);
  hashed.interleave_hash = true;
  EXPECT_EQ(row_pitch(hashed, 2048), 2048);
}

// Half of the row at the most.
TEST(RowPitch, IsTheRowWhereTheGapWouldBeLong) {
  EXPECT_EQ(row_pitch(channels_of_256(8), 512), 768);
  EXPECT_EQ(row_pitch(channels_of_256(6), 512), 512) << "five chunks would be the next";
}

struct GapNetwork {
  Graph graph;
  TensorId input = -1, weights = -1, between = -1, seen = -1, output = -1;
};

// A product, seen in another shape, and an activation.
GapNetwork network_seen_as(const Shape& seen_as) {
  GapNetwork made;
  Graph& graph = made.graph;
  made.input = add_tensor(graph, "x", {24, 1024}, TensorKind::kInput);
  made.weights = add_tensor(graph, "w", {1024, 1024}, TensorKind::kConstant);
  made.between = add_op(graph, "product", OpKind::kMatMul, {made.input, made.weights}, {}, TensorKind::kHidden);
  made.seen = graph.add_tensor({.name = "seen", .shape = seen_as, .kind = TensorKind::kHidden});
  graph.add_operator({.name = "view", .kind = OpKind::kReshape, .inputs = {made.between}, .output = made.seen});
  made.output = add_op(graph, "active", OpKind::kGelu, {made.seen});
  return made;
}

PlanOptions ungrouped_for_gaps() { return {.fuse = false, .group = Grouping::kNone}; }

std::int64_t row_gap_of(const Plan& plan, TensorId id) { return plan.tensors[id].pieces.front().gap; }

TEST(RowGaps, AreThoseOfInputsAndResults) {
  const GapNetwork made = network_seen_as({2, 12, 1024});
  const Plan plan = make_plan(made.graph, chip(), ungrouped_for_gaps());
  EXPECT_EQ(row_gap_of(plan, made.input), 128);
  EXPECT_EQ(row_gap_of(plan, made.weights), 0);
  EXPECT_EQ(row_gap_of(plan, made.between), 128);
  EXPECT_EQ(row_gap_of(plan, made.output), 128);
  EXPECT_EQ(piece_bytes(plan.tensors[made.input], {24, 1024}, plan.tensors[made.input].pieces[0]), 24 * 2304);
  expect_values(plan);
}

// Rows that are two dimensions of another shape are rows all the same; where its rows cross them there are none.
TEST(RowGaps, AreWhereAllShapesHaveTheRows) {
  const GapNetwork parted = network_seen_as({24, 16, 64});
  const Plan plan = make_plan(parted.graph, chip(), ungrouped_for_gaps());
  EXPECT_EQ(row_gap_of(plan, parted.between), 128);
  expect_values(plan);
  const GapNetwork crossed = network_seen_as({32, 768});
  const Plan other = make_plan(crossed.graph, chip(), ungrouped_for_gaps());
  EXPECT_EQ(row_gap_of(other, crossed.between), 0);
  EXPECT_EQ(row_gap_of(other, crossed.input), 128);
  expect_values(other);
}

TEST(RowGaps, AreNoneBehindASingleRow) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 1, 1024}, TensorKind::kInput);
  add_op(graph, "active", OpKind::kGelu, {x});
  EXPECT_EQ(row_gap_of(make_plan(graph, chip(), ungrouped_for_gaps()), x), 0);
}

TEST(RowGaps, AreNoneWithoutTheOption) {
  const GapNetwork made = network_seen_as({2, 12, 1024});
  PlanOptions packed = ungrouped_for_gaps();
  packed.row_gaps = false;
  const Plan plan = make_plan(made.graph, chip(), packed);
  for (const TensorPlan& tensor : plan.tensors)
    for (const PlacedPiece& piece : tensor.pieces) EXPECT_EQ(piece.gap, 0);
}

// Memory for the tensors without gaps, and as much as is kept for instructions.
TEST(RowGaps, CloseWhereMemoryIsShort) {
  const GapNetwork made = network_seen_as({2, 12, 1024});
  PlanOptions packed = ungrouped_for_gaps();
  packed.row_gaps = false;
  const Bytes taken = memory_taken(make_plan(made.graph, chip(), packed));
  for (const auto& [spare, gap] : {std::pair<Bytes, std::int64_t>{2048, 0}, {512 << 10, 128}}) {
    const Plan plan = make_plan(made.graph, with_memory(chip(), (taken + spare) * 16 / 15), ungrouped_for_gaps());
    EXPECT_EQ(row_gap_of(plan, made.input), gap) << spare;
    EXPECT_EQ(plan.options.program_memory, 0);
    expect_values(plan);
  }
}

}  // namespace
}  // namespace tilewright::test
