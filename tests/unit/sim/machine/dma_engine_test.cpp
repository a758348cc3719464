#include "sim/machine/core/dma_engine.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

class DmaEngineTest : public testing::Test {
 protected:
  explicit DmaEngineTest(Hardware hardware = plain()) : hardware_(std::move(hardware)) { dma_.reset(); }
  static Hardware plain() {
    Hardware hardware = small_hardware();
    hardware.core.dma.setup_cycles = 5;
    return hardware;
  }
  static Instruction load(Bytes bytes, Bytes padding = 0) {
    Transfer move;
    move.type = DataType::kInt8;
    move.shape[4] = bytes + padding;
    move.pad_low[4] = padding;
    move.source = {Space::kDram, 0, {0, 0, 0, 0, 1}};
    move.target = {Space::kBufferA, 0, {0, 0, 0, 0, 1}};
    return {Unit::kLoad, 0, {}, {}, move};
  }
  static Instruction store(Bytes bytes) {
    Transfer move = std::get<Transfer>(load(bytes).payload);
    std::swap(move.source, move.target);
    move.kind = TransferKind::kStore;
    return {Unit::kStore, 0, {}, {}, move};
  }
  static Instruction copy(Bytes bytes) {
    Transfer move = std::get<Transfer>(load(bytes).payload);
    move.target = {Space::kDram, 1 << 20, {0, 0, 0, 0, 1}};
    move.kind = TransferKind::kCopy;
    return {Unit::kLoad, 0, {}, {}, move};
  }
  void begin(const Instruction& instruction) {
    dma_.stream(instruction.unit).push(instruction, 0);
    alarm_.wake_at(0);
  }
  void run_until(Cycles end) { tilewright::run_until(dma_, alarm_, end * kPeriod); }
  void answer(std::size_t index, Cycles now) { dma_.memory_done(memory_.asked[index].request, now * kPeriod); }

  Hardware hardware_;
  Scoreboard board_;
  Owner owner_;
  Memory memory_;
  Buffers buffers_;
  Alarm alarm_;
  DmaEngine dma_{hardware_, 0, memory_, nullptr, board_, owner_, buffers_.of_core, alarm_};
};

TEST_F(DmaEngineTest, KeepsAsManyRequestsInFlightAsItMayAndNotOneMore) {
  const Instruction one = load(10 * 256);
  begin(one);
  run_until(1000);
  EXPECT_EQ(memory_.asked.size(), 4u);
  answer(2, 1001);
  run_until(2000);
  EXPECT_EQ(memory_.asked.size(), 5u);
  EXPECT_EQ(memory_.asked[4].time, 1001 * kPeriod);
}

TEST_F(DmaEngineTest, TheFirstRequestGoesWhenSetupIsOverThenOneEveryCycle) {
  const Instruction one = load(3 * 256);
  begin(one);
  run_until(1000);
  ASSERT_EQ(memory_.asked.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(memory_.asked[i].time, (5 + i) * kPeriod);
}

TEST_F(DmaEngineTest, ALoadCompletesWhenItsLastByteHasPassedThePort) {
  const Instruction one = load(512);
  begin(one);
  run_until(10);
  answer(0, 20);
  answer(1, 20);
  run_until(27);
  EXPECT_TRUE(owner_.done.empty());
  run_until(28);
  ASSERT_EQ(owner_.done.size(), 1u);
  EXPECT_EQ(owner_.done[0].end, 28 * kPeriod) << "512 bytes at 64 bytes a cycle";
}

class DmaEngineWithAWidePort : public DmaEngineTest {
 protected:
  static Hardware wide() {
    Hardware hardware = plain();
    hardware.core.dma.buffer_bytes_per_cycle = 256;
    return hardware;
  }
  DmaEngineWithAWidePort() : DmaEngineTest(wide()) {}
};

TEST_F(DmaEngineWithAWidePort, TheStreamsTakeTurns) {
  const Instruction in = load(1024), out = store(1024);
  begin(in);
  begin(out);
  run_until(1000);
  ASSERT_EQ(memory_.asked.size(), 4u);
  for (int i = 1; i < 4; ++i) EXPECT_NE(memory_.asked[i].request.write, memory_.asked[i - 1].request.write);
}

// The answer that leaves a place holds the port that the store needs.
TEST_F(DmaEngineTest, AStoreInTurnKeepsThePlaceThatAnAnswerToALoadLeaves) {
  const Instruction in = load(100 * 256), out = store(512);
  begin(in);
  run_until(100);
  ASSERT_EQ(memory_.asked.size(), 4u);
  dma_.stream(out.unit).push(out, 100 * kPeriod);
  alarm_.wake_at(100 * kPeriod);
  run_until(199);
  for (Cycles cycle = 200; cycle < 240; cycle += 10) {
    answer(static_cast<std::size_t>(cycle - 200) / 10, cycle);
    run_until(cycle + 9);
  }
  ASSERT_EQ(memory_.asked.size(), 8u);
  for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(memory_.asked[i].request.write, i % 2 == 0) << i;
  EXPECT_EQ(memory_.asked[4].time, 204 * kPeriod) << "when the answer's 256 bytes have passed at 64 a cycle";
  EXPECT_EQ(memory_.asked[5].time, 210 * kPeriod) << "a load needs no port";
}

TEST_F(DmaEngineTest, ACopyWritesOnlyWhatItHasRead) {
  const Instruction one = copy(512);
  begin(one);
  run_until(100);
  ASSERT_EQ(memory_.asked.size(), 2u);
  EXPECT_FALSE(memory_.asked[1].request.write);
  answer(0, 101);
  run_until(200);
  ASSERT_EQ(memory_.asked.size(), 3u);
  EXPECT_TRUE(memory_.asked[2].request.write);
}

TEST_F(DmaEngineTest, PaddingPassesThePortWithoutMemory) {
  const Instruction one = load(0, 640);
  begin(one);
  run_until(14);
  EXPECT_TRUE(owner_.done.empty());
  run_until(15);
  EXPECT_EQ(owner_.done.size(), 1u);
  EXPECT_TRUE(memory_.asked.empty());
  EXPECT_EQ(buffers_.counted(Event::kBufferWriteBytes), 640);
}

TEST_F(DmaEngineTest, TheNextLoadBeginsWhenTheFirstHasIssuedEverything) {
  const Instruction first = load(256), second = load(256);
  begin(first);
  begin(second);
  run_until(1000);
  ASSERT_EQ(memory_.asked.size(), 2u);
  EXPECT_EQ(memory_.asked[1].time, (5 + 5) * kPeriod);
}

}  // namespace
}  // namespace tilewright
