#include "sim/machine/memory/cache_array.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(CacheArray, ReplacesTheLeastRecentlyUsed) {
  CacheArray cache(2 * 64 * 4, 64, 2);  // 4 sets of 2
  EXPECT_FALSE(cache.fill(0, true));
  EXPECT_FALSE(cache.fill(4, true));
  EXPECT_TRUE(cache.touch(0));
  EXPECT_TRUE(cache.fill(8, true));
  EXPECT_TRUE(cache.touch(0));
  EXPECT_FALSE(cache.touch(4));
  EXPECT_FALSE(cache.touch(1)) << "another set";
}

TEST(CacheArray, ABarrierDropsOnlyWhatIsWritten) {
  CacheArray cache(1024, 64, 4);
  cache.fill(1, true);
  cache.fill(2, false);
  cache.drop_written();
  EXPECT_TRUE(cache.touch(1));
  EXPECT_FALSE(cache.touch(2));
  cache.fill(2, false);
  EXPECT_TRUE(cache.touch(2));
}

TEST(CacheArray, ClearDropsEverything) {
  CacheArray cache(1024, 64, 4);
  cache.fill(1, true);
  cache.clear();
  EXPECT_FALSE(cache.touch(1));
  cache.fill(3, false);
  cache.drop(3);
  EXPECT_FALSE(cache.touch(3));
}

TEST(CacheArray, WithoutCapacityHoldsNothing) {
  CacheArray cache(0, 64, 0);
  EXPECT_FALSE(cache.fill(1, true));
  EXPECT_FALSE(cache.touch(1));
}

}  // namespace
}  // namespace tilewright
