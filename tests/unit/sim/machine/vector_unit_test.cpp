#include "sim/machine/core/vector_unit.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

class VectorUnitTest : public testing::Test {
 protected:
  static Instruction add(std::int64_t elements) {
    Vector vector;
    vector.op = VectorOp::kAdd;
    vector.shape[4] = elements;
    vector.a = vector.b = vector.target = {Space::kAccumulator, 0, {0, 0, 0, 0, 4}, DataType::kFp32};
    vector.b.space = Space::kBufferB;
    return {Unit::kVector, 0, {}, {}, vector};
  }
  Hardware hardware_ = small_hardware();
  Scoreboard board_;
  Owner owner_;
  Buffers buffers_;
  Alarm alarm_;
  VectorUnit unit_{hardware_.core, hardware_.core_clock, board_, owner_, buffers_.of_core, alarm_};
};

TEST_F(VectorUnitTest, OneElementMoreThanTheLanesTakesAnotherCycle) {
  const Instruction full = add(16), more = add(17);
  unit_.stream().push(full, 0);
  unit_.stream().push(more, 0);
  alarm_.wake_at(0);
  run_until(unit_, alarm_, 100 * kPeriod);
  ASSERT_EQ(owner_.done.size(), 2u);
  EXPECT_EQ(owner_.done[0].end, 2 * kPeriod);
  EXPECT_EQ(owner_.done[1].begin, 2 * kPeriod);
  EXPECT_EQ(owner_.done[1].end, 5 * kPeriod);
}

TEST_F(VectorUnitTest, CountsEveryOperandWhereItLies) {
  const Instruction one = add(10);
  unit_.stream().push(one, 0);
  unit_.evaluate(0);
  EXPECT_EQ(buffers_.counted(Event::kVectorElement), 10);
  EXPECT_EQ(buffers_.counted(Event::kBufferReadBytes), 40);
  EXPECT_EQ(buffers_.counted(Event::kAccumulatorReadBytes), 40);
  EXPECT_EQ(buffers_.counted(Event::kAccumulatorWriteBytes), 40);
  Statistics statistics;
  buffers_.b.add_statistics("b", {}, statistics);
  EXPECT_EQ(statistics.at("b.read_bytes"), 40);
  EXPECT_EQ(statistics.at("b.written_bytes"), 0);
}

TEST_F(VectorUnitTest, CountsMultiplyAdds) {
  Instruction one = add(10);
  auto& vector = std::get<Vector>(one.payload);
  vector.op = VectorOp::kMultiplyAdd;
  vector.target.stride = {};
  unit_.stream().push(one, 0);
  unit_.evaluate(0);
  EXPECT_EQ(buffers_.counted(Event::kVectorElement), 10);
  EXPECT_EQ(buffers_.counted(Event::kMacFp32), 10);
  EXPECT_EQ(buffers_.counted(Event::kAccumulatorWriteBytes), 4);
}

TEST_F(VectorUnitTest, ResetForgetsWhatRuns) {
  const Instruction one = add(1000);
  unit_.stream().push(one, 0);
  EXPECT_EQ(unit_.evaluate(0), 125 * kPeriod);
  unit_.reset();
  EXPECT_EQ(unit_.evaluate(kPeriod), kNever);
  EXPECT_EQ(unit_.waiting_for(), "");
}

}  // namespace
}  // namespace tilewright
