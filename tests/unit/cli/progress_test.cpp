#include "cli/progress.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(ProgressLine, TellsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line("build", "shapes", 120, 240, 60, 20, false),
            "build  50 %  120 of 240 shapes, 3.00 shapes/s, 40 s left");
}

TEST(ProgressLine, DrawsABarOnATerminal) {
  EXPECT_EQ(progress_line("build", "shapes", 60, 240, 60, 5, true),
            "build  [######                  ]  25 %  60 of 240 shapes, 12 shapes/s, 15 s left");
}

TEST(ProgressLine, HasNoRateBeforeAnythingWasDone) {
  EXPECT_EQ(progress_line("build", "shapes", 120, 240, 0, 20, false), "build  50 %  120 of 240 shapes");
}

TEST(ProgressLine, ReachesAHundredOnlyAtTheEnd) {
  EXPECT_EQ(progress_line("build", "shapes", 999, 1000, 0, 1, false), "build  99 %  999 of 1000 shapes");
  EXPECT_EQ(progress_line("build", "shapes", 1000, 1000, 1000, 1, false),
            "build  100 %  1000 of 1000 shapes, 1000 shapes/s");
}

TEST(DurationText, GrowsWithTheDuration) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(119), "119 s");
  EXPECT_EQ(duration_text(121), "3 min");
  EXPECT_EQ(duration_text(7201), "2 h 01 min");
}

}  // namespace
}  // namespace tilewright
