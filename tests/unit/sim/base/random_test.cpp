// Numbers that must never change: what they were drawn for (seeded values, random shapes) would.
#include "sim/base/random.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

// Of the authors' reference implementation, seed 1234567.
TEST(SplitMix64, GivesThePublishedNumbers) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
  EXPECT_EQ(random.next(), 4593380528125082431u);
}

TEST(SplitMix64, AnyNumberCanBeAskedForAlone) {
  SplitMix64 random(42);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(SplitMix64::at(42, i), random.next());
}

TEST(SplitMix64, StaysInItsInterval) {
  SplitMix64 random(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.unit_interval();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    ASSERT_LT(random.below(3), 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
  EXPECT_EQ(random.below(1), 0);
}

}  // namespace
}  // namespace tilewright
