#include "sim/machine/network/cycle_wheel.h"

#include <gtest/gtest.h>

#include "sim/base/containers.h"

namespace tilewright {
namespace {

TEST(CycleMarks, NextIsTheNearestAndWraps) {
  for (const int horizon : {10, 63, 64, 300}) {
    CycleMarks marks(horizon);
    EXPECT_EQ(marks.next_after(-1), kNeverCycle);
    for (Cycles now = 0; now < 2000; now += 37) {
      marks.mark(now + horizon);
      EXPECT_EQ(marks.next_after(now), now + horizon);
      marks.mark(now + 1);
      EXPECT_EQ(marks.next_after(now), now + 1);
      EXPECT_EQ(marks.next_after(now + 1), now + horizon);
      marks.clear(now + 1);
      marks.clear(now + horizon);
      EXPECT_EQ(marks.next_after(now), kNeverCycle);
    }
  }
}

TEST(CycleSets, DrainsAscendingAndOnce) {
  CycleSets sets(64, 130);
  for (const int member : {129, 0, 64, 63}) sets.insert(5, member);
  sets.insert(6, 1);
  std::vector<int> seen;
  const auto note = [&seen](int member) { seen.push_back(member); };
  sets.drain(5, note);
  EXPECT_EQ(seen, (std::vector{0, 63, 64, 129}));
  sets.drain(5, note);
  EXPECT_EQ(seen.size(), 4u);
}

TEST(BitSet, AssignEraseVisit) {
  BitSet set(200);
  EXPECT_TRUE(set.empty());
  for (const int member : {3, 63, 64, 199}) set.assign(member, true);
  set.assign(63, false);
  set.erase(3);
  set.insert(100);
  EXPECT_TRUE(set.contains(199));
  EXPECT_FALSE(set.contains(63));
  set.insert(100);  // again
  EXPECT_EQ(set.size(), 3);
  EXPECT_EQ(set.first(), 64);
  std::vector<int> seen;
  set.for_each([&seen](int member) { seen.push_back(member); });
  EXPECT_EQ(seen, (std::vector{64, 100, 199}));
}

}  // namespace
}  // namespace tilewright
