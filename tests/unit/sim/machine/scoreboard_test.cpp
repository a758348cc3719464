#include "sim/machine/core/scoreboard.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TokenList tokens(std::initializer_list<int> ids) {
  TokenList list;
  for (const int id : ids) list.add(id);
  return list;
}

CoreProgram program_with(const TokenList& waits) {
  CoreProgram program;
  program.instructions.push_back({Unit::kLoad, 0, waits, {}, Wait{}});
  return program;
}

TEST(Scoreboard, TakesOneTokenPerWait) {
  Scoreboard board;
  const TokenList list = tokens({3, 5});
  board.reset(program_with(list), 0);
  board.post(tokens({3}));
  EXPECT_FALSE(board.available(list));
  EXPECT_EQ(board.first_missing(list), 5);
  board.post(tokens({5}));
  ASSERT_TRUE(board.available(list));
  board.take(list);
  EXPECT_EQ(board.first_missing(list), 3);
}

TEST(Scoreboard, ATokenNamedTwiceIsNeededTwice) {
  Scoreboard board;
  const TokenList list = tokens({1, 1});
  board.reset(program_with(list), 0);
  board.post(tokens({1}));
  EXPECT_FALSE(board.available(list));
  board.post(tokens({1}));
  EXPECT_TRUE(board.available(list));
}

TEST(Scoreboard, FlagsCount) {
  Scoreboard board;
  board.reset({}, 2);
  board.raise_flag(1);
  EXPECT_TRUE(board.flag_available({1, 1}));
  EXPECT_FALSE(board.flag_available({1, 2}));
  board.raise_flag(1);
  board.take_flag({1, 2});
  EXPECT_EQ(board.flag(1), 0);
}

TEST(Scoreboard, TellsWhoIsWaitedFor) {
  const auto reason = [](TransferKind kind, Space target) {
    Transfer transfer;
    transfer.kind = kind;
    transfer.target.space = target;
    return wait_reason_of({Unit::kLoad, 0, {}, {}, transfer});
  };
  EXPECT_EQ(reason(TransferKind::kLoad, Space::kBufferA), WaitReason::kInputA);
  EXPECT_EQ(reason(TransferKind::kLoad, Space::kBufferB), WaitReason::kInputB);
  EXPECT_EQ(reason(TransferKind::kLoad, Space::kAccumulator), WaitReason::kAccumulator);
  EXPECT_EQ(reason(TransferKind::kStore, Space::kDram), WaitReason::kAccumulator);
  EXPECT_EQ(reason(TransferKind::kCopy, Space::kDram), WaitReason::kToken);
  EXPECT_EQ(wait_reason_of({Unit::kVector, 0, {}, {}, Vector{}}), WaitReason::kAccumulator);
  EXPECT_EQ(wait_reason_of({Unit::kLoad, 0, {}, {}, Signal{}}), WaitReason::kToken);
}

}  // namespace
}  // namespace tilewright
