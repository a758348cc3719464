#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/model/dram/dram_channel.h"
#include "sim/model/kernel/chip_module.h"
#include "tests/unit/sim/machine/dram/dram_test_specs.h"

namespace tilewright {
namespace {

struct Recorder : MemoryClient, FaultSink {
  struct Done {
    MemoryRequest request;
    Picoseconds time;
  };
  std::vector<Done> done;
  std::exception_ptr error;

  void memory_done(const MemoryRequest& request, Picoseconds now) override { done.push_back({request, now}); }
  void fault(std::exception_ptr e) override { error = e; }
};

class DramChannelTest : public testing::Test {
 protected:
  explicit DramChannelTest(DramSpec s = ddr4_spec()) : spec(std::move(s)), channel("dram", spec, 0, meter, recorder) {
    meter.reset(3);
    channel.set_client(&recorder);
    channel.reset();
  }

  static MemoryRequest read(Address address, int bytes) {
    MemoryRequest r;
    r.address = address;
    r.bytes = bytes;
    r.op = 1;
    return r;
  }
  static MemoryRequest write(Address address, int bytes) {
    MemoryRequest r = read(address, bytes);
    r.write = true;
    r.op = 2;
    return r;
  }
  // Runs until nothing is pending.
  void run() { sc_core::sc_start(); }
  std::int64_t counted(int op, Event event) const { return meter.per_operator()[op][static_cast<int>(event)]; }

  DramSpec spec;
  EventMeter meter;
  Recorder recorder;
  DramChannel channel;
};

TEST_F(DramChannelTest, ReadOfAClosedBankTakesActivateColumnAndData) {
  channel.memory_request(read(0, 64), kernel_now());
  run();
  ASSERT_EQ(recorder.done.size(), 1u);
  EXPECT_EQ(recorder.done[0].time, (1 + 17 + 17 + 4) * 833);
  EXPECT_EQ(channel.waiting_for(), "");
}

TEST_F(DramChannelTest, TrainOfFourBurstsIsPacedByTheBankGroup) {
  channel.memory_request(read(64, 256), kernel_now());
  run();
  EXPECT_EQ(recorder.done.at(0).time, (1 + 17 + 3 * 6 + 17 + 4) * 833);
  EXPECT_EQ(counted(1, Event::kDramReadBytes), 256);
  EXPECT_EQ(counted(1, Event::kDramActivate), 1);
}

TEST_F(DramChannelTest, BytesAreRoundedOutToBursts) {
  channel.memory_request(read(60, 8), kernel_now());
  run();
  EXPECT_EQ(counted(1, Event::kDramReadBytes), 128);
}

TEST_F(DramChannelTest, WriteIsPostedAndStillReachesTheDevice) {
  channel.memory_request(write(0, 128), kernel_now());
  run();
  EXPECT_EQ(recorder.done.at(0).time, 0);
  EXPECT_NE(channel.waiting_for(), "");
  sc_core::sc_start(1000, sc_core::SC_NS);
  channel.settle();
  EXPECT_EQ(counted(2, Event::kDramWriteBytes), 128);
  EXPECT_EQ(channel.waiting_for(), "");
}

TEST_F(DramChannelTest, RequestOverTwoRowsWaitsForBoth) {
  channel.memory_request(read(8192 - 64, 128), kernel_now());
  run();
  ASSERT_EQ(recorder.done.size(), 1u);
  EXPECT_EQ(recorder.done[0].time, (1 + 17 + 17 + 4 + 4) * 833);  // second row opens tRRD_S later
  EXPECT_EQ(counted(1, Event::kDramActivate), 2);
}

TEST_F(DramChannelTest, IdleTimeIsRefreshedWithoutEvents) {
  sc_core::sc_start(10 * 9360 * 833 + 1, sc_core::SC_PS);
  channel.settle();
  EXPECT_EQ(counted(0, Event::kDramRefresh), 10);
}

TEST_F(DramChannelTest, ResetRunsTheSameAgain) {
  channel.memory_request(read(0, 256), kernel_now());
  channel.memory_request(read(1 << 20, 256), kernel_now());
  run();
  const auto first = recorder.done;
  sc_core::sc_start(123457, sc_core::SC_PS);
  const auto origin = kernel_now();
  recorder.done.clear();
  channel.reset();
  channel.memory_request(read(0, 256), kernel_now());
  channel.memory_request(read(1 << 20, 256), kernel_now());
  run();
  ASSERT_EQ(recorder.done.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(recorder.done[i].time - origin, first[i].time);
}

TEST_F(DramChannelTest, RequestForAnotherChannelIsAFaultNotACrash) {
  spec.channels = 2;
  channel.memory_request(read(256, 64), kernel_now());
  run();
  ASSERT_TRUE(recorder.error);
  EXPECT_THROW(std::rethrow_exception(recorder.error), InternalError);
}

TEST_F(DramChannelTest, ARequestCostsFewKernelEvents) {
  const auto before = sc_core::sc_delta_count();
  for (int i = 0; i < 500; ++i) channel.memory_request(read(i * 256, 256), kernel_now());
  run();
  EXPECT_EQ(recorder.done.size(), 500u);
  EXPECT_LE(sc_core::sc_delta_count() - before, 2 * 500u);
}

TEST_F(DramChannelTest, StatisticsNameWhatHappened) {
  channel.memory_request(read(0, 256), kernel_now());
  channel.memory_request(read(256, 256), kernel_now());
  channel.memory_request(read(128 << 10, 64), kernel_now());
  run();
  Statistics s;
  channel.add_statistics({}, s);
  EXPECT_EQ(s.at("dram0.reads"), 3);
  EXPECT_EQ(s.at("dram0.row_misses"), 1);
  EXPECT_EQ(s.at("dram0.row_hits"), 1);
  EXPECT_EQ(s.at("dram0.row_conflicts"), 1);
  EXPECT_EQ(s.at("dram0.read_bytes"), 576);
  EXPECT_EQ(s.at("dram0.busy_cycles"), 36);
}

}  // namespace
}  // namespace tilewright
