// The rule that cuts one dimension, with the numbers of its description.
#include "planner/ir/split_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tilewright::test {
namespace {

using Ranges = std::vector<Range>;

TEST(SplitIndex, OfTheExamples) {
  // a = 1, b = 4, c = 2.
  EXPECT_EQ(split_index({1, 4}, 2, 4), (SplitIndex{1, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}}));
  EXPECT_EQ(split_index({1, 2}, 2, 4), (SplitIndex{1, {{0, 1}, {1, 2}}}));
  EXPECT_EQ(split_index({1, 2}, 4, 4), (SplitIndex{1, {{0, 1}, {1, 2}}}));
}

TEST(SplitIndex, PiecesAreCoresChannelsOrElements) {
  EXPECT_EQ(split_index({1024}, 2, 4).ranges, (Ranges{{0, 256}, {256, 512}, {512, 768}, {768, 1024}}));
  EXPECT_EQ(split_index({7}, 4, 16).ranges.size(), 4u);
  EXPECT_EQ(split_index({3}, 4, 16).ranges.size(), 3u);
  EXPECT_EQ(split_index({1}, 4, 16).ranges.size(), 1u);
}

TEST(SplitIndex, TheFirstLongEnoughGoesBeforeTheLongest) {
  EXPECT_EQ(split_index({8, 512}, 4, 4).dimension, 0u);
  EXPECT_EQ(split_index({3, 512}, 4, 4).dimension, 1u);
  EXPECT_EQ(split_index({1, 3, 2}, 4, 4).dimension, 1u);
}

TEST(CutPieces, LengthsFollowTheRounding) {
  EXPECT_EQ(cut_pieces(10, 4, Rounding::kCeil), (Ranges{{0, 3}, {3, 6}, {6, 9}, {9, 10}}));
  EXPECT_EQ(cut_pieces(10, 4, Rounding::kFloor), (Ranges{{0, 2}, {2, 4}, {4, 6}, {6, 10}}));
  EXPECT_EQ(cut_pieces(9, 4, Rounding::kNearest), (Ranges{{0, 2}, {2, 4}, {4, 6}, {6, 9}}));
  EXPECT_EQ(cut_pieces(11, 4, Rounding::kNearest), (Ranges{{0, 3}, {3, 6}, {6, 9}, {9, 11}}));
  EXPECT_EQ(cut_pieces(10, 4, Rounding::kEven), (Ranges{{0, 2}, {2, 5}, {5, 7}, {7, 10}}));
  EXPECT_EQ(cut_pieces(10, 2, Rounding::kCeil, 4), (Ranges{{0, 8}, {8, 10}}));
}

RC_GTEST_PROP(CutPieces, CoverTheDimensionWithoutGaps, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 5000), pieces = *rc::gen::inRange<std::int64_t>(1, 70);
  const auto granule = *rc::gen::inRange<std::int64_t>(1, 40);
  const auto rounding = *rc::gen::element(Rounding::kFloor, Rounding::kCeil, Rounding::kNearest, Rounding::kEven);
  std::int64_t covered = 0;
  const Ranges ranges = cut_pieces(size, pieces, rounding, granule);
  for (const Range& range : ranges) {
    RC_ASSERT(range.begin == covered);
    RC_ASSERT(range.size() > 0);
    RC_ASSERT(range.begin % granule == 0);
    covered = range.end;
  }
  RC_ASSERT(covered == size);
  RC_ASSERT(std::ssize(ranges) <= pieces);
}

}  // namespace
}  // namespace tilewright::test
