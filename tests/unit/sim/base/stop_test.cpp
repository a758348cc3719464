#include "sim/base/stop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "sim/base/error.h"

namespace tilewright {
namespace {

using std::chrono_literals::operator""ms;

class Stop : public testing::Test {
 protected:
  ~Stop() override { forget_stop(); }

  // What check_stop() throws within a second; nothing when it does not.
  static std::string thrown(Stopped::Why& why) {
    for (int i = 0; i < 100; ++i, std::this_thread::sleep_for(10ms)) try {
        check_stop();
      } catch (const Stopped& stopped) {
        why = stopped.why();
        return stopped.what();
      }
    return "";
  }
};

TEST_F(Stop, NothingIsThrownUnlessAskedFor) { EXPECT_NO_THROW(check_stop()); }

TEST_F(Stop, ASignalIsNoticedAtOnceAndStays) {
  request_stop();
  for (int i = 0; i < 2; ++i) try {
      check_stop();
      ADD_FAILURE();
    } catch (const Stopped& stopped) {
      EXPECT_EQ(stopped.why(), Stopped::Why::kInterrupted);
      EXPECT_STREQ(stopped.what(), "interrupted");
    }
}

// Who goes on after a refusal must not go on here.
TEST_F(Stop, IsNoRefusal) {
  request_stop();
  const auto tried = [] {
    try {
      check_stop();
    } catch (const UserError&) {
      ADD_FAILURE();
    }
  };
  EXPECT_THROW(tried(), Stopped);
}

TEST_F(Stop, TimeIsUpWhenItIs) {
  Stopped::Why why{};
  stop_after(1e6);
  EXPECT_NO_THROW(check_stop());
  stop_after(0.05);
  EXPECT_EQ(thrown(why), "--max-seconds: stopped after 0.05 s, not done yet");
  EXPECT_EQ(why, Stopped::Why::kTime);
  stop_after(0);
  EXPECT_NO_THROW(check_stop());
}

TEST_F(Stop, AHostProgramIsAsked) {
  set_stop_check([] { throw InternalError("of the host"); });
  Stopped::Why why{};
  EXPECT_THROW(thrown(why), InternalError);
}

TEST_F(Stop, AWorkerForgets) {
  request_stop();
  stop_after(1e-9);
  forget_stop();
  Stopped::Why why{};
  EXPECT_EQ(thrown(why), "");
}

}  // namespace
}  // namespace tilewright
