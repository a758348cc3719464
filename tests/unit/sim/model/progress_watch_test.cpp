// Runs that would not end by themselves.
#include "sim/model/kernel/progress_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/base/stop.h"
#include "sim/model/kernel/shell.h"

namespace tilewright {
namespace {

TEST(ProgressWatch, SomethingDoneWithinTheAllowedActivations) {
  constexpr std::int64_t kMost = ProgressWatch::kMostIdleActivations;
  ProgressWatch watch;
  EXPECT_TRUE(watch.goes_on(10, 5));
  EXPECT_TRUE(watch.goes_on(10 + kMost, 5));
  EXPECT_FALSE(watch.goes_on(11 + kMost, 5));
  EXPECT_TRUE(watch.goes_on(12 + kMost, 6)) << "something was done";
  EXPECT_TRUE(watch.goes_on(12 + 2 * kMost, 6));
  EXPECT_FALSE(watch.goes_on(13 + 2 * kMost, 6));
}

// A module that always wants to run once more, `step` later.
class Restless : public TimedModule {
 public:
  Restless(sc_core::sc_module_name name, FirstFault& faults, Picoseconds step)
      : TimedModule(name, "restless", faults), step_(step) {}

 private:
  Picoseconds evaluate(Picoseconds now) override { return now + step_; }
  const Picoseconds step_;
};

class Livelock : public testing::TestWithParam<Picoseconds> {};
INSTANTIATE_TEST_SUITE_P(Steps, Livelock, testing::Values(0, 1, 1000));

TEST_P(Livelock, EndsWithWhatTheLookThrows) {
  ProgressWatch watch;
  int looks = 0;
  FirstFault faults([&] {
    ++looks;
    SIM_CHECK(watch.goes_on(faults.activations(), 0), "nothing is done");
  });
  Restless restless("restless", faults, GetParam());
  restless.wake_at(0);
  sc_core::sc_start();
  EXPECT_THROW(faults.rethrow(), InternalError);
  EXPECT_EQ(faults.activations(), ProgressWatch::kMostIdleActivations + 2 * FirstFault::kBetweenLooks);
  EXPECT_EQ(looks * FirstFault::kBetweenLooks, faults.activations());
}

TEST(RunOfModules, EndsWhenInterrupted) {
  FirstFault faults(check_stop);
  Restless restless("restless", faults, 1);
  restless.wake_at(0);
  request_stop();
  sc_core::sc_start();
  EXPECT_EQ(faults.activations(), FirstFault::kBetweenLooks);
  EXPECT_THROW(faults.rethrow(), Stopped);
}

}  // namespace
}  // namespace tilewright
