#include "sim/machine/core/core_buffers.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

class BufferWatchTest : public testing::Test {
 protected:
  void load(Address to, Bytes bytes) {
    Transfer move;
    move.type = DataType::kInt8;
    move.shape[4] = bytes;
    move.source = {Space::kDram, 0, {0, 0, 0, 0, 1}};
    move.target = {Space::kBufferA, to, {0, 0, 0, 0, 1}};
    program_.instructions.push_back({Unit::kLoad, 0, {}, {}, move});
  }
  void store(Address from, Bytes bytes) {
    load(from, bytes);
    auto& move = std::get<Transfer>(program_.instructions.back().payload);
    std::swap(move.source, move.target);
    move.kind = TransferKind::kStore;
  }
  // In use after each start and each end, one instruction after the other.
  std::vector<Bytes> in_turn() {
    BufferWatch watch(program_, buffers_.of_core);
    std::vector<Bytes> occupied;
    for (const Instruction& one : program_.instructions) {
      watch.started(one);
      occupied.push_back(buffers_.a.occupied());
      watch.completed(one);
      occupied.push_back(buffers_.a.occupied());
    }
    return occupied;
  }

  Buffers buffers_;
  CoreProgram program_;
};

TEST_F(BufferWatchTest, BytesAreInUseUntilTheirLastReader) {
  load(0, 100);
  store(0, 100);
  store(0, 100);
  EXPECT_EQ(in_turn(), (std::vector<Bytes>{100, 100, 100, 100, 100, 0}));
}

TEST_F(BufferWatchTest, APartThatIsNotReadAgainIsFreeEarlier) {
  load(0, 100);
  store(0, 60);
  store(0, 20);
  EXPECT_EQ(in_turn(), (std::vector<Bytes>{100, 60, 60, 20, 20, 0}));
}

TEST_F(BufferWatchTest, WhatIsWrittenAnewIsNotCountedTwice) {
  load(0, 100);
  store(0, 100);
  load(50, 100);
  store(50, 100);
  EXPECT_EQ(in_turn(), (std::vector<Bytes>{100, 100, 100, 0, 100, 100, 100, 0}));
}

TEST_F(BufferWatchTest, TwoSlotsAreTwoSlots) {
  load(0, 100);
  load(100, 100);
  store(0, 100);
  store(100, 100);
  EXPECT_EQ(in_turn(), (std::vector<Bytes>{100, 100, 200, 200, 200, 100, 100, 0}));
}

TEST_F(BufferWatchTest, RowsWithGapsCountWithoutTheGaps) {
  load(0, 10);
  auto& rows = std::get<Transfer>(program_.instructions.back().payload);
  rows.shape[3] = 4;
  rows.target.stride[3] = 16;
  store(0, 64);
  EXPECT_EQ(in_turn(), (std::vector<Bytes>{40, 40, 40, 0}));
}

TEST_F(BufferWatchTest, WhatAccumulatesGoesOnBeingInUse) {
  Matmul work;
  work.c.space = Space::kAccumulator;
  work.m[2] = 8;
  work.c.row_stride[2] = 4;
  for (const bool accumulate : {false, true}) {
    work.accumulate = accumulate;
    program_.instructions.push_back({Unit::kMatmul, 0, {}, {}, work});
  }
  BufferWatch watch(program_, buffers_.of_core);
  watch.started(program_.instructions[0]);
  watch.completed(program_.instructions[0]);
  watch.started(program_.instructions[1]);
  EXPECT_EQ(buffers_.accumulator.occupied(), 32);
  watch.completed(program_.instructions[1]);
  EXPECT_EQ(buffers_.accumulator.occupied(), 0);
}

}  // namespace
}  // namespace tilewright
