#include "sim/machine/core/stream.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

class StreamTest : public testing::Test {
 protected:
  static Instruction make(Payload payload) { return {Unit::kVector, 0, {}, {}, std::move(payload)}; }

  Scoreboard board_;
  Owner owner_;
  Stream stream_{Unit::kVector, 2, board_, owner_};
};

TEST_F(StreamTest, IsFullAtItsCapacityAndNotBefore) {
  const Instruction one = make(Vector{});
  stream_.push(one, 0);
  EXPECT_FALSE(stream_.full());
  stream_.push(one, 0);
  EXPECT_TRUE(stream_.full());
  ASSERT_TRUE(stream_.start(0));
  EXPECT_FALSE(stream_.full()) << "what runs does not stand in the queue";
  EXPECT_EQ(owner_.freed, 1);
}

TEST_F(StreamTest, CompletesInOrderAlthoughTheSecondIsReadyFirst) {
  const Instruction first = make(Vector{}), second = make(Vector{});
  stream_.push(first, 0);
  stream_.push(second, 0);
  stream_.start(0);
  stream_.start(0);
  stream_.finish(1, 10);
  stream_.finish(0, 30);
  EXPECT_EQ(stream_.retire(29), 30);
  EXPECT_TRUE(owner_.done.empty());
  EXPECT_EQ(stream_.retire(30), kNever);
  ASSERT_EQ(owner_.done.size(), 2u);
  EXPECT_EQ(owner_.done[0].instruction, &first);
  EXPECT_EQ(owner_.done[1].end, 30);
}

TEST_F(StreamTest, NothingPassesABarrierBeforeItsRelease) {
  const Instruction work = make(Vector{}), barrier = make(Barrier{1, 2}), behind = make(Vector{});
  for (const Instruction* one : {&work, &barrier, &behind}) stream_.push(*one, 0);
  stream_.start(0);
  stream_.start(0);
  stream_.retire(5);
  EXPECT_TRUE(owner_.reached.empty()) << "the work in front of it still runs";
  stream_.finish(0, 6);
  stream_.retire(6);
  EXPECT_EQ(owner_.reached.size(), 1u);
  EXPECT_EQ(stream_.start(6), nullptr);
  stream_.release_barrier(9);
  stream_.retire(9);
  EXPECT_EQ(stream_.start(9), &behind);
}

TEST_F(StreamTest, ASignalIsSentWhenEverythingBeforeHasCompleted) {
  const Instruction work = make(Vector{}), signal = make(Signal{3, 1});
  stream_.push(work, 0);
  stream_.push(signal, 0);
  stream_.start(0);
  stream_.start(0);
  stream_.retire(4);
  EXPECT_TRUE(owner_.signals.empty());
  stream_.finish(0, 5);
  stream_.retire(5);
  EXPECT_EQ(owner_.signals.size(), 1u);
}

TEST_F(StreamTest, AWaitTakesItsCountAndNotWithOneLess) {
  const Instruction wait = make(Wait{0, 2});
  board_.reset({{wait}, 0}, 1);
  stream_.push(wait, 0);
  board_.raise_flag(0);
  EXPECT_EQ(stream_.start(0), nullptr);
  board_.raise_flag(0);
  EXPECT_EQ(stream_.start(0), &wait);
  EXPECT_EQ(board_.flag(0), 0);
}

}  // namespace
}  // namespace tilewright
