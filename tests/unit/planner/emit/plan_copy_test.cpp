// Boxes and tiles of copies: what is joined, what is stored together, what is read through, and how cores share it.
#include "planner/emit/copy/plan_copy.h"

#include <gtest/gtest.h>

#include "planner/emit/copy/copy_box.h"
#include "planner/emit/copy/copy_job.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/operand.h"
#include "tests/support/bad_file.h"

namespace tilewright {
namespace {

using testing_support::message_of;

std::vector<CopyBox> plan(const Shape& shape, const char* from, const char* to) {
  return plan_copy(CopySide::whole(Layout::from_tag(shape, from)), CopySide::whole(Layout::from_tag(shape, to)));
}

TEST(CopyBoxes, SameLayoutIsOneRun) {
  EXPECT_EQ(plan({6, 10}, "AB2a5b", "AB2a5b"), (std::vector<CopyBox>{{0, 0, {{60, 1, 1}}}}));
}

TEST(CopyBoxes, ATransposeIsOneBox) {
  EXPECT_EQ(plan({6, 10}, "ab", "ba"), (std::vector<CopyBox>{{0, 0, {{10, 1, 6}, {6, 10, 1}}}}));
}

// 10 elements in blocks of 4: two whole ones and a rest.
TEST(CopyBoxes, AnIncompleteBlockIsABoxOfItsOwn) {
  EXPECT_EQ(plan({10, 2}, "Ab4a", "ab"),
            (std::vector<CopyBox>{{0, 0, {{2, 8, 8}, {4, 1, 2}, {2, 4, 1}}}, {16, 16, {{2, 1, 2}, {2, 4, 1}}}}));
}

// 10 x 3 in blocks of 4 x 2: two rows of the last block, then the last column of those that there are.
TEST(CopyBoxes, PaddingIsWhatIsNoElement) {
  const CopySide to = CopySide::whole(Layout::from_tag({10, 3}, "AB4a2b", {}, 5));
  EXPECT_EQ(to.layout.filled().shape(), (Shape{12, 4}));
  const std::vector<CopyBox> boxes = zero_padding(to);
  std::int64_t written = 0;
  for (const CopyBox& box : boxes) written += box.elements();
  EXPECT_EQ(written, 12 * 4 - 10 * 3);
  EXPECT_EQ(boxes.front(), (CopyBox{0, 5 + 2 * 16 + 4, {{2, 0, 8}, {4, 0, 1}}, true}));
  EXPECT_TRUE(zero_padding(CopySide::whole(Layout::plain({10, 3}))).empty());
}

// One element of the buffer holds the zero that all of a tile stores; nothing is read.
TEST(CopyTiles, ZerosAreNotRead) {
  const auto tiles = staged_tiles({{0, 7, {{3, 0, 8}, {4, 0, 1}}, true}}, {.room = 64, .fair = 64, .good_run = 32});
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].elements, 1);
  EXPECT_EQ(tiles[0].moved(), 12);
  const CopyMemory dram{Space::kDram, 4096}, buffer{Space::kBufferA, 64};
  Instruction load{.unit = Unit::kLoad};
  load.payload = transfers_of(tiles[0].loads[0], TransferKind::kLoad, DataType::kBf16, dram, buffer)[0];
  const Operands operands = operands_of(load);
  ASSERT_EQ(operands.end() - operands.begin(), 1);
  EXPECT_EQ(operands.begin()->role, "target");
}

TEST(CopyBoxes, RepetitionsAndContinuationsJoin) {
  const CopyBox three{100, 30, {{3, 40, 10}, {5, 1, 1}}};
  // One iteration more in front, two behind; and one that stands elsewhere in the input.
  EXPECT_EQ(joined({{60, 20, {{5, 1, 1}}}, three, {220, 60, {{2, 40, 10}, {5, 1, 1}}}}),
            (std::vector<CopyBox>{{60, 20, {{6, 40, 10}, {5, 1, 1}}}}));
  EXPECT_EQ(joined({{61, 20, {{5, 1, 1}}}, three}).size(), 2U);
  EXPECT_EQ(joined({{7, 0, {{4, 1, 1}}}, {17, 10, {{4, 1, 1}}}, {27, 20, {{4, 1, 1}}}}),
            (std::vector<CopyBox>{{7, 0, {{3, 10, 10}, {4, 1, 1}}}}));
}

TEST(CopyBoxes, WhatFillsEachOthersGapsIsAGroup) {
  const auto comb = [](std::int64_t write) { return CopyBox{write * 1000, write, {{16, 8, 4}, {2, 1, 1}}}; };
  EXPECT_EQ(interleaved({comb(0), comb(2)}, 64).size(), 1U);
  EXPECT_EQ(interleaved({comb(0), comb(64)}, 64).size(), 2U) << "behind the first one, not in its gaps";
  EXPECT_EQ(interleaved({comb(0), comb(2)}, 2).size(), 2U) << "the runs are good as they are";
  EXPECT_EQ(interleaved({comb(0), {5, 2, {{15, 8, 4}, {2, 1, 1}}}}, 64).size(), 2U) << "not as long";
}

// Boxes go upwards in the output, whichever side is flipped.
TEST(CopyBoxes, AFlipReadsBackwards) {
  const CopySide plain = CopySide::whole(Layout::plain({3, 8}));
  CopySide turned = plain;
  turned.view = turned.view.flipped({1});
  const std::vector<CopyBox> expected{{7, 0, {{3, 8, 8}, {8, -1, 1}}}};
  EXPECT_EQ(plan_copy(turned, plain), expected);
  EXPECT_EQ(plan_copy(plain, turned), expected);
  EXPECT_EQ(plan_copy(turned, turned), plan_copy(plain, plain)) << "both sides flipped: as it is";
}

// Both transfers go upwards in DRAM, in whole runs.
TEST(CopyTiles, AFlipIsWalkedBackwardsInTheBuffer) {
  const auto tiles = staged_tiles({{7, 0, {{3, 8, 8}, {8, -1, 1}}}}, {.room = 64, .fair = 64, .good_run = 32});
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].loads, (std::vector<CopyBox>{{0, 0, {{24, 1, 1}}}}));
  EXPECT_EQ(tiles[0].stores, (std::vector<CopyBox>{{7, 0, {{3, 8, 8}, {8, -1, 1}}}}));
}

TEST(CopyTiles, InterleavedBoxesAreStoredAsOneRun) {
  const std::vector<CopyBox> boxes{{0, 0, {{16, 1, 2}}}, {500, 1, {{16, 1, 2}}}};
  const auto tiles = staged_tiles(boxes, {.room = 64, .fair = 64, .good_run = 32});
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].loads, (std::vector<CopyBox>{{0, 0, {{16, 1, 1}}}, {500, 16, {{16, 1, 1}}}}));
  EXPECT_EQ(tiles[0].stores, (std::vector<CopyBox>{{0, 0, {{16, 1, 2}, {2, 16, 1}}}}));
  EXPECT_EQ(tiles[0].moved(), 32);
}

TEST(CopyTiles, ShortGapsAreReadThrough) {
  const std::vector<CopyBox> three_of_four{{0, 0, {{8, 4, 3}, {3, 1, 1}}}};
  TileRules rules{.room = 64, .fair = 64, .good_run = 8};
  EXPECT_EQ(staged_tiles(three_of_four, rules)[0].loads[0], (CopyBox{0, 0, {{8, 4, 3}, {3, 1, 1}}}));
  rules.burst = 16;
  EXPECT_EQ(staged_tiles(three_of_four, rules)[0].loads[0], (CopyBox{0, 0, {{31, 1, 1}}}));
  // The gaps need room, too: smaller tiles.
  rules.room = 30;
  for (const StagedTile& tile : staged_tiles(three_of_four, rules)) EXPECT_LE(tile.elements, 30);
}

// Runs of 16 elements in bursts of 16.
TEST(CopyTiles, ReadingThroughPaysByTheCostOfARequest) {
  TileRules rules{.burst = 16, .per_request = 8};
  EXPECT_TRUE(rules.reads_through(3, 4));
  EXPECT_FALSE(rules.reads_through(16, 32));
  rules.per_request = 100;
  EXPECT_TRUE(rules.reads_through(16, 32));
  EXPECT_FALSE(rules.reads_through(16, 128));
  EXPECT_FALSE((TileRules{}.reads_through(1, 2))) << "unless the chip is known";
}

class Distribution : public testing::TestWithParam<CopyDistribution> {};
INSTANTIATE_TEST_SUITE_P(Ways, Distribution, testing::Values(CopyDistribution::kRoundRobin, CopyDistribution::kRanges));

TEST_P(Distribution, GivesEveryCoreItsShareNextToWhereItWrites) {
  const Hardware chip = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_numa.yaml");
  const CopyJob job{"job", DataType::kBf16, {}, {}};
  const std::int64_t region = chip.dram.region_capacity() / 2, piece = 1 << 16;
  std::vector<CopyBox> boxes;
  for (int i = 0; i < chip.dram.regions; ++i) boxes.push_back({0, i * region, {{piece, 1, 1}}});
  const auto by_core = distribute(chip, job, {GetParam(), 256}, boxes);
  for (int core = 0; core < chip.cores(); ++core) {
    std::int64_t moved = 0;
    for (const StagedTile& tile : by_core[core]) {
      moved += tile.moved();
      EXPECT_EQ(tile.stores[0].write / region, chip.local_region(chip.cluster_of(core)));
    }
    EXPECT_EQ(moved, piece * chip.dram.regions / chip.cores());
    const bool range = by_core[core][1].stores[0].write - by_core[core][0].stores[0].write == by_core[core][0].moved();
    EXPECT_EQ(range, GetParam() == CopyDistribution::kRanges);
  }
}

TEST(CopyPlans, WhatCannotBeCopiedIsRefused) {
  const Layout layout = Layout::plain({4, 6});
  const CopySide whole = CopySide::whole(layout);
  const CopySide turned{layout, whole.view.transposed(0, 1), 0, 0};
  EXPECT_EQ(message_of([&] { plan_copy(whole, turned); }), "the input's view is 4x6, the output's 6x4");
  const CopySide windows{layout, whole.view.unfolded(1, 3, 1), 0, 0};
  const CopySide separate = CopySide::whole(Layout::plain({4, 4, 3}));
  EXPECT_EQ(message_of([&] { plan_copy(separate, windows); }),
            "the output's view overlaps itself: one place would be written twice");
  Hardware chip = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp.yaml");
  chip.core.buffer_a = 6;
  const CopyJob job{"small", DataType::kBf16, {}, {}};
  EXPECT_EQ(message_of([&] {
              distribute(chip, job, {}, {{0, 0, {{8, 1, 1}}}});
            }),
            "small: a copy needs 4 elements of 2 bytes in buffer A, which has 6 bytes");
}

}  // namespace
}  // namespace tilewright
