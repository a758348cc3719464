// Ways of a copy: which there are, and that the one predicted to be fastest comes first.
#include "planner/measure/choose_copy.h"

#include <gmock/gmock.h>

#include "planner/constants/constants.h"
#include "planner/measure/measure_copy.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Hardware small_chip() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/edge_single.yaml"); }

TracedCopy reorder(const Shape& shape, const char* from, const char* to) {
  const View all = View::of(shape);
  return {"c", DataType::kBf16, {Layout::from_tag(shape, from), all}, {Layout::from_tag(shape, to), all}};
}

std::vector<std::size_t> passes_of(const std::vector<CopyJob>& ways) {
  std::vector<std::size_t> passes;
  for (const CopyJob& way : ways) passes.push_back(way.passes.size());
  return passes;
}

// Reordering to plain and on is all that the usual way does where no view is; what is plain already needs no pass.
TEST(CopyWays, SamePassesAreOneWay) {
  EXPECT_THAT(passes_of(copy_ways(reorder({4, 24, 6}, "aBc8b", "aBc12b"))), testing::ElementsAre(1, 2));
  EXPECT_EQ(copy_ways(reorder({4, 24, 6}, "abc", "acb")).front().passes.size(), 1U);
  TracedCopy part = reorder({4, 24, 6}, "aBc8b", "aBc12b");
  part.input.view = part.input.view.sliced(2, 1, 4, 2);
  part.output = {Layout::from_tag({4, 24, 2}, "aBc12b"), View::of({4, 24, 2})};
  EXPECT_THAT(passes_of(copy_ways(part)), testing::ElementsAre(1, 2, 2, 3));
}

// Blocks of 8 and of 12 share borders at every 24th channel only: the direct way stores runs of 4.
TEST(CopyWays, TheFastestPredictedComesFirstAndNearOnesAreRun) {
  const Hardware hardware = small_chip();
  const auto ways = predicted_ways(hardware, reorder({2, 96, 7, 7}, "aBcd8b", "aBcd12b"));
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_LE(ways[0].predicted, ways[1].predicted);
  std::vector<CopyWay> far{{{}, 100}, {{}, 100 * (1 + constants().copy_way_margin) - 1}, {{}, 200}};
  EXPECT_EQ(worth_a_run(far).size(), 2U);
}

TEST(CopyWays, WaysWithoutRoomAreLeftOut) {
  Hardware hardware = small_chip();
  hardware.dram.channel_capacity = Bytes{1} << 20;
  // 0.5 MiB in, 0.5 MiB out; a plain tensor between them fits, of an expanded view it would not.
  EXPECT_EQ(predicted_ways(hardware, reorder({256, 1024}, "aB8b", "aB12b")).size(), 2U);
  hardware.dram.channel_capacity = Bytes{1} << 19;
  EXPECT_THROW(predicted_ways(hardware, reorder({512, 1024}, "aB8b", "aB12b")), UserError);
}

}  // namespace
}  // namespace tilewright
