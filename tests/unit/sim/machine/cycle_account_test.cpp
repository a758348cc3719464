#include "sim/machine/core/cycle_account.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(CycleAccount, EveryMomentCountsOnce) {
  CycleAccount account;
  account.reset(1000);
  account.change(Activity::kCompute, 3000);
  account.change(Activity::kWaitA, 7000);
  account.change(Activity::kCompute, 8000);
  account.change(Activity::kIdle, 10'000);
  EXPECT_EQ(account.spent(Activity::kIdle), 2000);
  EXPECT_EQ(account.spent(Activity::kCompute), 6000);
  EXPECT_EQ(account.spent(Activity::kWaitA), 1000);
  Statistics statistics;
  account.add_statistics("core0", Clock{1000}, 9000, statistics);
  EXPECT_EQ(statistics.at("core0.compute_cycles"), 6);
}

TEST(CycleAccount, PartsThatDoNotAddUpAreOurBug) {
  CycleAccount account;
  account.reset(0);
  account.change(Activity::kIdle, 5000);
  Statistics statistics;
  EXPECT_THROW(account.add_statistics("core0", Clock{1000}, 5001, statistics), InternalError);
  EXPECT_NO_THROW(account.add_statistics("core0", Clock{1000}, 5000, statistics));
}

}  // namespace
}  // namespace tilewright
