#include "sim/machine/core/matmul_traffic.h"

#include <gtest/gtest.h>

#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

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

TEST(VectorCycles, ReductionsAcrossTheLanesCostPerResult) {
  VectorSpec spec;
  spec.lanes = 16, spec.reduction_cycles = 9;
  Vector vector;
  vector.op = VectorOp::kReduceMax;
  vector.shape = {1, 1, 1, 3, 7};
  vector.target.stride = {0, 0, 0, 4, 0};  // along the last dimension, where the lanes lie: three results
  EXPECT_EQ(vector_cycles(spec, vector), 2 + 3 * 9);
  vector.target.stride = {0, 0, 0, 0, 4};  // every lane has its own result
  EXPECT_EQ(vector_cycles(spec, vector), 2);
  vector.shape = {1, 1, 3, 7, 1};
  vector.target.stride = {0, 0, 4, 0, 0};  // the last dimension longer than one counts
  EXPECT_EQ(vector_cycles(spec, vector), 2 + 3 * 9);
}

}  // namespace
}  // namespace tilewright
