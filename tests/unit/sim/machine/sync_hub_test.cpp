#include "sim/machine/core/sync_hub.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

struct Receiver : SyncClient, BarrierListener {
  std::vector<int> flags;
  std::vector<Picoseconds> released;
  int opened = 0;
  void signal_arrived(int flag) override { flags.push_back(flag); }
  void barrier_released(Unit, Picoseconds now) override { released.push_back(now); }
  void barrier_opened() override { ++opened; }
};

class SyncHubTest : public testing::Test {
 protected:
  SyncHubTest() {
    for (Receiver& core : cores_) hub_.attach(core);
    hub_.listen(cores_[0]);
  }

  static Hardware hardware() {
    Hardware hardware = small_hardware();
    hardware.core.control.signal_cycles = 20;
    return hardware;
  }
  Alarm alarm_;
  SyncHub hub_{hardware(), alarm_};
  std::array<Receiver, 3> cores_;
};

TEST_F(SyncHubTest, ASignalArrivesAfterTheSignalTimeAndNotBefore) {
  hub_.send_signal(0, {2, 5}, 0, 100);
  EXPECT_EQ(alarm_.at, 100 + 20 * kPeriod);
  EXPECT_EQ(hub_.evaluate(100 + 20 * kPeriod - 1), 100 + 20 * kPeriod);
  EXPECT_TRUE(cores_[2].flags.empty());
  EXPECT_EQ(hub_.evaluate(100 + 20 * kPeriod), kNever);
  EXPECT_EQ(cores_[2].flags, std::vector<int>{5});
}

TEST_F(SyncHubTest, ABarrierOpensWithTheLastOfItsParticipants) {
  const Barrier barrier{7, 3};
  hub_.reach_barrier(0, Unit::kLoad, barrier, 0);
  hub_.reach_barrier(1, Unit::kStore, barrier, 10);
  EXPECT_EQ(cores_[0].opened, 0);
  EXPECT_EQ(alarm_.at, kNever);
  EXPECT_EQ(hub_.waiting_for(), "barrier 7 reached by 2 of 3 cores");
  hub_.reach_barrier(2, Unit::kVector, barrier, 30);
  EXPECT_EQ(cores_[0].opened, 1);
  EXPECT_EQ(hub_.waiting_for(), "");
  hub_.evaluate(30 + 20 * kPeriod);
  for (const Receiver& core : cores_) EXPECT_EQ(core.released, std::vector<Picoseconds>{30 + 20 * kPeriod});
}

TEST_F(SyncHubTest, ABarrierGathersAgain) {
  const Barrier barrier{1, 2};
  for (int round = 1; round <= 2; ++round) {
    hub_.reach_barrier(0, Unit::kLoad, barrier, 0);
    EXPECT_EQ(cores_[0].opened, round - 1);
    hub_.reach_barrier(1, Unit::kLoad, barrier, 0);
    EXPECT_EQ(cores_[0].opened, round);
  }
}

TEST_F(SyncHubTest, TwoBarriersGatherApart) {
  hub_.reach_barrier(0, Unit::kLoad, {1, 2}, 0);
  hub_.reach_barrier(1, Unit::kLoad, {2, 2}, 0);
  EXPECT_EQ(cores_[0].opened, 0);
}

}  // namespace
}  // namespace tilewright
