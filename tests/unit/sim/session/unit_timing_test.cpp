// What one more instruction of a unit costs, measured on the whole chip and compared with the closed form.
#include <gtest/gtest.h>

#include "sim/hw/config/read_hardware.h"
#include "sim/hw/timing/array_time.h"
#include "sim/session.h"

namespace tilewright {
namespace {

// So many that the first instruction fetches are full, however many more follow.
constexpr int kMany = 30;

class UnitTiming : public testing::Test {
 protected:
  // Core cycles of a program of `count` copies of `payload` in the stream of `unit`.
  Cycles cycles(Unit unit, const Payload& payload, int count) {
    Program program;
    program.name = "hand-made";
    program.cores.resize(hardware_.cores());
    program.segments = {{"in", SegmentKind::kInput, DataType::kBf16, 0, 1 << 16},
                        {"out", SegmentKind::kOutput, DataType::kBf16, 1 << 16, 1 << 16},
                        {"code", SegmentKind::kInstructions, DataType::kInt8, 1 << 20, 1 << 16}};
    program.cores[0].fetch_address = 1 << 20;
    for (int i = 0; i < count; ++i) program.cores[0].instructions.push_back({unit, 0, {}, {}, payload});
    const RunResult result = session_.run(program);
    EXPECT_EQ(result.time % hardware_.core_clock.period_ps, 0);
    return result.time / hardware_.core_clock.period_ps;
  }

  static Matmul matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
    Matmul matmul;
    matmul.m[2] = m, matmul.n[2] = n, matmul.k[2] = k;
    matmul.a = {Space::kBufferA, 0, {0, 0, 2 * k}, {0, 0, 2}};
    matmul.b = {Space::kBufferB, 0, {0, 0, 2 * n}, {0, 0, 2}};
    matmul.c = {Space::kAccumulator, 0, {0, 0, 4 * n}, {0, 0, 4}};
    return matmul;
  }

  Hardware hardware_ = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/edge_single.yaml");
  Session session_{hardware_};
};

TEST_F(UnitTiming, AMatmulBehindAnotherCostsItsOccupancy) {
  const ArrayTime time = array_time(hardware_.core.matmul, {64, 64, 64, false, DataType::kBf16});
  const Cycles step = time.occupancy + hardware_.core.matmul.issue_cycles;
  const Cycles many = cycles(Unit::kMatmul, matmul(64, 64, 64), kMany);
  EXPECT_EQ(cycles(Unit::kMatmul, matmul(64, 64, 64), kMany + 1), many + step);
  EXPECT_EQ(cycles(Unit::kMatmul, matmul(64, 64, 64), kMany + 5), many + 5 * step);
}

TEST_F(UnitTiming, TheFirstMatmulFillsAndTheLastDrains) {
  const ArrayTime small = array_time(hardware_.core.matmul, {16, 16, 16, false, DataType::kBf16});
  const ArrayTime large = array_time(hardware_.core.matmul, {128, 64, 64, false, DataType::kBf16});
  const Cycles difference =
      cycles(Unit::kMatmul, matmul(128, 64, 64), 1) - cycles(Unit::kMatmul, matmul(16, 16, 16), 1);
  EXPECT_EQ(difference, large.fill + large.occupancy + large.drain - small.fill - small.occupancy - small.drain);
}

TEST_F(UnitTiming, VectorInstructionsRunOneAtATime) {
  Vector vector;
  vector.op = VectorOp::kExp;
  vector.shape = {1, 1, 1, 1, 1000};
  vector.a = vector.target = {Space::kAccumulator, 0, {0, 0, 0, 0, 4}, DataType::kFp32};
  const VectorSpec& spec = hardware_.core.vector;
  const Cycles step = spec.issue_cycles + (1000 * spec.transcendental_passes + spec.lanes - 1) / spec.lanes;
  const Cycles many = cycles(Unit::kVector, vector, kMany);
  EXPECT_EQ(cycles(Unit::kVector, vector, kMany + 3), many + 3 * step);
}

TEST_F(UnitTiming, PaddingCostsOnlyThePort) {
  Transfer load;
  load.shape = {1, 1, 1, 64, 64};
  load.source = {Space::kDram, 0, {0, 0, 0, 128, 2}};
  load.target = {Space::kBufferA, 0, {0, 0, 0, 128, 2}};
  const Cycles full = cycles(Unit::kLoad, load, 1);
  load.pad_low[3] = 60;
  const Cycles padded = cycles(Unit::kLoad, load, 1);
  load.pad_low[3] = 64;
  const Cycles nothing_read = cycles(Unit::kLoad, load, 1);
  EXPECT_LT(padded, full);
  EXPECT_LE(nothing_read, padded);
  EXPECT_GE(nothing_read, hardware_.core.dma.setup_cycles + 64 * 64 * 2 / hardware_.core.dma.buffer_bytes_per_cycle);
}

TEST_F(UnitTiming, LoadsInFlightOverlap) {
  Transfer load;
  load.shape = {1, 1, 1, 1, 512};
  load.source = {Space::kDram, 0, {0, 0, 0, 0, 2}};
  load.target = {Space::kBufferA, 0, {0, 0, 0, 0, 2}};
  const Cycles one = cycles(Unit::kLoad, load, 1), eight = cycles(Unit::kLoad, load, 8);
  const Cycles issue = hardware_.core.dma.setup_cycles + 1024 / hardware_.core.dma.request_bytes;
  EXPECT_GE(eight, one + 7 * issue);
  EXPECT_LT(eight, 4 * one) << "the latency of memory is paid once";
}

}  // namespace
}  // namespace tilewright
