// Numbered places: which number comes next, and what lies there.
#include "sim/base/slab.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tilewright {
namespace {

TEST(Slab, HandsOutTheLowestNumbersFirstAndTheLastReleasedAgain) {
  Slab<std::string> slab;
  EXPECT_EQ(slab.acquire("a"), 0u);
  EXPECT_EQ(slab.acquire("b"), 1u);
  EXPECT_EQ(slab.acquire("c"), 2u);
  slab.release(0);
  slab.release(1);
  EXPECT_EQ(slab.used(), 1);
  EXPECT_EQ(slab.acquire("d"), 1u);
  EXPECT_EQ(slab.acquire("e"), 0u);
  EXPECT_EQ(slab.acquire("f"), 3u);
  EXPECT_EQ(slab[0] + slab[1] + slab[2] + slab[3], "edcf");
}

TEST(Slab, BeginsAgainAtZeroWhenCleared) {
  Slab<int> slab;
  slab.acquire(7);
  slab.release(slab.acquire(8));
  slab.clear();
  EXPECT_EQ(slab.used(), 0);
  EXPECT_EQ(slab.acquire(9), 0u);
  EXPECT_EQ(slab.acquire(10), 1u);
}

// Never two things in one place, and never more places than things that were in flight at a time.
RC_GTEST_PROP(Slab, KeepsWhatIsInFlight, ()) {
  Slab<int> slab;
  std::map<std::uint32_t, int> in_flight;
  std::size_t most = 0;
  for (const int value : *rc::gen::arbitrary<std::vector<int>>()) {
    if (value % 3 == 0 && !in_flight.empty()) {
      slab.release(in_flight.begin()->first);
      in_flight.erase(in_flight.begin());
    } else {
      RC_ASSERT(in_flight.emplace(slab.acquire(value), value).second);
    }
    most = std::max(most, in_flight.size());
    RC_ASSERT(slab.used() == static_cast<int>(in_flight.size()));
    for (const auto& [place, kept] : in_flight) {
      RC_ASSERT(place < most);
      RC_ASSERT(slab[place] == kept);
    }
  }
}

}  // namespace
}  // namespace tilewright
