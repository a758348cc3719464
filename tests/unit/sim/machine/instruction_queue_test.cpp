#include "sim/machine/core/instruction_queue.h"

#include <gtest/gtest.h>

#include "sim/isa/binary.h"
#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

class InstructionQueueTest : public testing::Test {
 protected:
  explicit InstructionQueueTest(Hardware hardware = plain()) : hardware_(std::move(hardware)) { meter_.reset(1); }
  static Hardware plain() {
    Hardware hardware = small_hardware();
    hardware.core.control.fetch_bytes = 16;
    hardware.core.control.fetch_ahead = 3;
    hardware.core.control.launch_cycles = 2;
    return hardware;
  }
  void reset(int instructions) {
    program_.instructions.assign(instructions, {Unit::kVector, 0, {}, {}, Vector{}});
    board_.reset(program_, 0);
    queue_.reset(program_, 0);
  }
  void run_until(Cycles end) { tilewright::run_until(queue_, alarm_, end * kPeriod); }
  void answer_all(Cycles now) {
    for (; answered_ < memory_.asked.size(); ++answered_)
      queue_.fetched(memory_.asked[answered_].request, now * kPeriod);
  }
  // Answers every fetch until nothing more is asked for.
  void fetch_everything() {
    for (Cycles now = 10; answered_ < memory_.asked.size() || now == 10; now += 100) {
      run_until(now - 1);
      answer_all(now);
      run_until(now + 99);
    }
  }

  Hardware hardware_;
  Scoreboard board_;
  Owner owner_;
  Memory memory_;
  EventMeter meter_;
  Alarm alarm_, unit_;
  Stream streams_[kUnitCount] = {{Unit::kLoad, 2, board_, owner_},
                                 {Unit::kStore, 2, board_, owner_},
                                 {Unit::kMatmul, 2, board_, owner_},
                                 {Unit::kVector, 2, board_, owner_}};
  InstructionQueue queue_{hardware_,
                          0,
                          board_,
                          memory_,
                          {{{streams_[0], unit_}, {streams_[1], unit_}, {streams_[2], unit_}, {streams_[3], unit_}}},
                          meter_,
                          alarm_};
  CoreProgram program_;
  std::size_t answered_ = 0;
};

TEST_F(InstructionQueueTest, NothingIsFetchedBeforeTheLaunchTime) {
  reset(1);
  EXPECT_EQ(alarm_.at, 2 * kPeriod);
  run_until(1);
  EXPECT_TRUE(memory_.asked.empty());
  run_until(2);
  EXPECT_FALSE(memory_.asked.empty());
}

TEST_F(InstructionQueueTest, FetchesSoFarAheadAndNotOneBlockMore) {
  reset(100);
  run_until(50);
  // Where one instruction is longer than the window, the rest of it is asked for too.
  const Bytes window = std::max<Bytes>(3 * 16, round_up<Bytes>(encoded_size(program_.instructions[0]), 16));
  EXPECT_EQ(static_cast<Bytes>(memory_.asked.size()), window / 16);
}

TEST_F(InstructionQueueTest, DispatchesUntilTheUnitsQueueIsFull) {
  reset(5);
  fetch_everything();
  EXPECT_TRUE(streams_[3].full());
  EXPECT_FALSE(queue_.all_dispatched());
  EXPECT_EQ(queue_.waiting_for(), "dispatch: instruction 2 waits for a place in the full vector queue");
  ASSERT_TRUE(streams_[3].start(0));
  EXPECT_FALSE(streams_[3].full());
  queue_.wake();
  alarm_.at = 5000 * kPeriod;
  run_until(5000);
  EXPECT_TRUE(streams_[3].full());
  EXPECT_EQ(meter_.total()[static_cast<int>(Event::kInstruction)], 3);
}

TEST_F(InstructionQueueTest, OneInstructionACycle) {
  reset(2);
  run_until(5);
  answer_all(10);
  run_until(10);
  EXPECT_EQ(meter_.total()[static_cast<int>(Event::kInstruction)], 1);
  run_until(11);
  EXPECT_EQ(meter_.total()[static_cast<int>(Event::kInstruction)], 2);
}

TEST_F(InstructionQueueTest, WaitsForTheLastByteOfAnInstruction) {
  reset(1);
  run_until(5);
  ASSERT_GT(memory_.asked.size(), 1u) << "an instruction of several blocks";
  for (std::size_t i = 0; i + 1 < memory_.asked.size(); ++i) queue_.fetched(memory_.asked[i].request, 10 * kPeriod);
  run_until(20);
  EXPECT_FALSE(queue_.all_dispatched());
  queue_.fetched(memory_.asked.back().request, 21 * kPeriod);
  run_until(21);
  EXPECT_TRUE(queue_.all_dispatched());
  EXPECT_EQ(queue_.waiting_for(), "");
}

}  // namespace
}  // namespace tilewright
