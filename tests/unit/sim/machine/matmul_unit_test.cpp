#include "sim/machine/core/matmul_unit.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/isa/unit_time.h"
#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

class MatmulUnitTest : public testing::Test {
 protected:
  MatmulUnitTest() {
    unit_.reset(0);
    alarm_.wake_at(0);
  }
  static Hardware issuing() {
    Hardware hardware = small_hardware();
    hardware.core.matmul.issue_cycles = 3;
    return hardware;
  }
  // m x 4 by 4 x 4: one block that streams m rows.
  static Instruction matmul(std::int64_t m) {
    Matmul work;
    work.m[2] = m, work.n[2] = work.k[2] = 4;
    return {Unit::kMatmul, 0, {}, {}, work};
  }
  ArrayTime time_of(std::int64_t m) const { return array_time(hardware_.core.matmul, {m, 4, 4}); }
  void run_until(Picoseconds end) { tilewright::run_until(unit_, alarm_, end); }

  const Hardware hardware_ = issuing();
  Scoreboard board_;
  Owner owner_;
  Buffers buffers_;
  Alarm alarm_;
  MatmulUnit unit_{hardware_.core, hardware_.core_clock, board_, owner_, buffers_.of_core, alarm_};
};

TEST_F(MatmulUnitTest, AnEmptyPipeTakesIssueFillOccupancyAndDrain) {
  const ArrayTime time = time_of(10);
  const Instruction one = matmul(10);
  unit_.stream().push(one, 0);
  const Picoseconds over = (3 + time.fill + time.occupancy + time.drain) * kPeriod;
  run_until(over - 1);
  EXPECT_TRUE(owner_.done.empty());
  run_until(over);
  ASSERT_EQ(owner_.done.size(), 1u);
  EXPECT_EQ(owner_.done[0].end, over);
}

TEST_F(MatmulUnitTest, TheNextStreamsBehindTheOneBeforeAndDoesNotFillAgain) {
  const ArrayTime time = time_of(10);
  const Instruction first = matmul(10), second = matmul(10);
  unit_.stream().push(first, 0);
  unit_.stream().push(second, 0);
  const Cycles issue = hardware_.core.matmul.issue_cycles, one = issue + time.fill + time.occupancy;
  run_until((one + issue + time.occupancy + time.drain) * kPeriod);
  ASSERT_EQ(owner_.done.size(), 2u);
  EXPECT_EQ(owner_.done[0].end, (one + time.drain) * kPeriod);
  EXPECT_EQ(owner_.done[1].begin, one * kPeriod);
  EXPECT_EQ(owner_.done[1].end, (one + issue + time.occupancy + time.drain) * kPeriod);
}

TEST_F(MatmulUnitTest, AMissingTokenKeepsItAndTheAccountSaysWhich) {
  Instruction load{Unit::kLoad, 0, {}, {}, Transfer{}}, work = matmul(10);
  std::get<Transfer>(load.payload).target.space = Space::kBufferB;
  load.posts.add(0);
  work.waits.add(0);
  board_.reset({{load, work}, 0}, 0);
  board_.announce(load);
  unit_.stream().push(work, 0);
  run_until(0);
  EXPECT_EQ(owner_.freed, 0);
  board_.post(load.posts);
  alarm_.wake_at(50 * kPeriod);
  run_until(1000 * kPeriod);
  ASSERT_EQ(owner_.done.size(), 1u);
  EXPECT_EQ(owner_.done[0].begin, 50 * kPeriod);
  Statistics statistics;
  const Picoseconds end = owner_.done[0].end + 7 * kPeriod;
  unit_.add_statistics("core0", {0, end}, statistics);
  const double busy = static_cast<double>(owner_.done[0].end - 50 * kPeriod) / kPeriod;
  EXPECT_EQ(statistics.at("core0.wait_b_cycles"), 50);
  EXPECT_EQ(statistics.at("core0.compute_cycles"), busy);
  EXPECT_EQ(statistics.at("core0.idle_cycles"), 7);
  EXPECT_EQ(statistics.at("core0.matmul.macs"), 10 * 4 * 4);
}

TEST_F(MatmulUnitTest, MoreMultiplyAddsThanTheTimeAllowsIsOurBug) {
  const Instruction one = matmul(1000);
  unit_.stream().push(one, 0);
  run_until(kPeriod);
  Statistics statistics;
  EXPECT_THROW(unit_.add_statistics("core0", {0, 999 * kPeriod}, statistics), InternalError);
}

Matmul matmul_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  Matmul matmul;
  matmul.m[2] = m, matmul.n[2] = n, matmul.k[2] = k;
  return matmul;
}

MatmulSpec array(Dataflow dataflow) {
  MatmulSpec spec;
  spec.rows = spec.columns = 16;
  spec.dataflow = dataflow;
  return spec;
}

TEST(MatmulTraffic, WeightStationaryHoldsB) {
  const MatmulTraffic traffic = traffic_of(array(Dataflow::kWeightStationary), matmul_of(64, 32, 48));
  EXPECT_EQ(traffic.macs, 64 * 32 * 48);
  EXPECT_EQ(traffic.a_read, 2 * 64 * 48 * 2);
  EXPECT_EQ(traffic.b_read, 2 * 48 * 32);
  EXPECT_EQ(traffic.accumulator_write, 4 * 64 * 32 * 3);
  EXPECT_EQ(traffic.accumulator_read, 4 * 64 * 32 * 2);
}

TEST(MatmulTraffic, ZerosAreReadButNoMultiplyAdds) {
  Matmul matmul = matmul_of(64, 32, 48);
  matmul.zeros = 8;
  const MatmulTraffic traffic = traffic_of(array(Dataflow::kWeightStationary), matmul);
  EXPECT_EQ(traffic.macs, 64 * 32 * 40);
  EXPECT_EQ(traffic.a_read, 2 * 64 * 48 * 2);
}

TEST(MatmulTraffic, OutputStationaryWritesOnce) {
  Matmul matmul = matmul_of(64, 32, 48);
  matmul.accumulate = true;
  const MatmulTraffic traffic = traffic_of(array(Dataflow::kOutputStationary), matmul);
  EXPECT_EQ(traffic.a_read, 2 * 64 * 48 * 2);
  EXPECT_EQ(traffic.b_read, 2 * 48 * 32 * 4);
  EXPECT_EQ(traffic.accumulator_write, 4 * 64 * 32);
  EXPECT_EQ(traffic.accumulator_read, 4 * 64 * 32);
}

TEST(VectorCycles, IssueAndPasses) {
  VectorSpec spec;
  spec.lanes = 16, spec.issue_cycles = 4, spec.transcendental_passes = 3;
  Vector vector;
  vector.shape = {1, 1, 1, 3, 7};
  EXPECT_EQ(vector_cycles(spec, vector), 4 + 2);
  vector.op = VectorOp::kExp;
  EXPECT_EQ(vector_cycles(spec, vector), 4 + 4);
}

TEST(VectorCycles, Fp16IsConvertedOnTheWayInAndOut) {
  VectorSpec spec;
  spec.lanes = 16, spec.fp16_load_passes = 5, spec.fp16_store_passes = 3;
  Vector vector;
  vector.op = VectorOp::kAdd;
  vector.shape = {1, 1, 1, 4, 16};
  vector.a.stride = vector.b.stride = vector.target.stride = {0, 0, 0, 64, 4};
  vector.b.address = 4096;
  EXPECT_EQ(vector_cycles(spec, vector), 4);
  vector.a.type = vector.b.type = DataType::kFp16;
  EXPECT_EQ(vector_cycles(spec, vector), 4 + 4 * (5 + 5));
  vector.b.address = vector.a.address;  // one operand twice
  EXPECT_EQ(vector_cycles(spec, vector), 4 + 4 * 5);
  vector.b.address = 4096, vector.b.stride = {0, 0, 0, 0, 2};  // one row, repeated
  EXPECT_EQ(vector_cycles(spec, vector), 4 + 4 * 5 + 5);
  vector.target.type = DataType::kFp16;
  EXPECT_EQ(vector_cycles(spec, vector), 4 + 4 * 5 + 5 + 4 * 3);
  spec.fp16_load_passes = spec.fp16_store_passes = 0;
  EXPECT_EQ(vector_cycles(spec, vector), 4);
}

TEST(VectorCycles, ReductionsAcrossTheLanesCostPerResult) {
  VectorSpec spec;
  spec.lanes = 16, spec.reduction_cycles = 9;
  Vector vector;
  vector.op = VectorOp::kReduceMax;
  vector.shape = {1, 1, 1, 3, 7};
  vector.target.stride = {0, 0, 0, 4, 0};  // along the last dimension, where the lanes lie: three results
  EXPECT_EQ(vector_cycles(spec, vector), 2 + 3 * 9);
  spec.reduction_cycles = 0.25;  // several results in a cycle
  EXPECT_EQ(vector_cycles(spec, vector), 2 + 1);
  spec.reduction_cycles = 9;
  vector.target.stride = {0, 0, 0, 0, 4};  // every lane has its own result
  EXPECT_EQ(vector_cycles(spec, vector), 2);
  vector.shape = {1, 1, 3, 7, 1};
  vector.target.stride = {0, 0, 4, 0, 0};  // the last dimension longer than one counts
  EXPECT_EQ(vector_cycles(spec, vector), 2 + 3 * 9);
}

}  // namespace

}  // namespace tilewright
