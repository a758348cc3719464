// Numbered places: which number comes next, and what lies there.
#include "sim/base/containers.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tilewright {
namespace {

TEST(SlotTable, HandsOutTheLowestNumbersFirstAndTheLastReleasedAgain) {
  SlotTable<std::string> slots;
  EXPECT_EQ(slots.acquire("a"), 0u);
  EXPECT_EQ(slots.acquire("b"), 1u);
  EXPECT_EQ(slots.acquire("c"), 2u);
  slots.release(0);
  slots.release(1);
  EXPECT_EQ(slots.used(), 1);
  EXPECT_EQ(slots.acquire("d"), 1u);
  EXPECT_EQ(slots.acquire("e"), 0u);
  EXPECT_EQ(slots.acquire("f"), 3u);
  EXPECT_EQ(slots[0] + slots[1] + slots[2] + slots[3], "edcf");
}

TEST(SlotTable, BeginsAgainAtZeroWhenCleared) {
  SlotTable<int> slots;
  slots.acquire(7);
  slots.release(slots.acquire(8));
  slots.clear();
  EXPECT_EQ(slots.used(), 0);
  EXPECT_EQ(slots.acquire(9), 0u);
  EXPECT_EQ(slots.acquire(10), 1u);
}

// Never two things in one place, and never more places than things that were in flight at a time.
RC_GTEST_PROP(SlotTable, KeepsWhatIsInFlight, ()) {
  SlotTable<int> slots;
  std::map<std::uint32_t, int> in_flight;
  std::size_t most = 0;
  for (const int value : *rc::gen::arbitrary<std::vector<int>>()) {
    if (value % 3 == 0 && !in_flight.empty()) {
      slots.release(in_flight.begin()->first);
      in_flight.erase(in_flight.begin());
    } else {
      RC_ASSERT(in_flight.emplace(slots.acquire(value), value).second);
    }
    most = std::max(most, in_flight.size());
    RC_ASSERT(slots.used() == static_cast<int>(in_flight.size()));
    for (const auto& [place, kept] : in_flight) {
      RC_ASSERT(place < most);
      RC_ASSERT(slots[place] == kept);
    }
  }
}

}  // namespace
}  // namespace tilewright
