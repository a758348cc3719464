// The largest counts that fit, and one more.
#include "sim/base/checked.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilewright {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void refuse() { throw UserError("file:3", "too large"); }

TEST(Checked, ProductsUpToTheLargest) {
  EXPECT_EQ(checked_product(kMost, 1, refuse), kMost);
  EXPECT_EQ(checked_product((std::int64_t{1} << 32) - 1, std::int64_t{1} << 31, refuse), (kMost >> 31) << 31);
  EXPECT_THROW(checked_product(std::int64_t{1} << 32, std::int64_t{1} << 31, refuse), UserError);
  EXPECT_THROW(checked_product(kMost, 2), InternalError);
}

TEST(Checked, SumsUpToTheLargest) {
  EXPECT_EQ(checked_sum(kMost - 1, 1, refuse), kMost);
  EXPECT_THROW(checked_sum(kMost, 1, refuse), UserError);
  EXPECT_THROW(checked_sum(kMost, 1), InternalError);
}

TEST(Checked, WholeNumbersOfFiniteOnes) {
  EXPECT_EQ(checked_rounded(-2.5, refuse), -3);
  EXPECT_EQ(checked_rounded(0x1p62, refuse), std::int64_t{1} << 62);
  for (const double value : {0x1p63, -0x1p63, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_THROW(checked_rounded(value, refuse), UserError) << value;
}

}  // namespace
}  // namespace tilewright
