// Programs whose times 64 bits of picoseconds would not hold.
#include "sim/isa/simulated_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/unit_time.h"
#include "tests/support/property.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Hardware chip(const std::string& file) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + file);
}

Program program_of(Instruction instruction, int times = 1) {
  Program program;
  program.cores.push_back({std::vector<Instruction>(static_cast<std::size_t>(times), instruction), 0});
  return program;
}

Instruction sums(std::int64_t k) {
  Matmul matmul;
  matmul.k = {1, 1, k};
  return {Unit::kMatmul, 0, {}, {}, matmul};
}

Instruction reduction(std::int64_t elements) {
  Vector vector;
  vector.op = VectorOp::kReduceAdd;
  vector.shape = {1, 1, 1, 1, elements};
  return {Unit::kVector, 0, {}, {}, vector};
}

TEST(SimulatedTime, AnHourIsNotTooLongAndAMonthIs) {
  Hardware slow = chip("edge_single.yaml");
  slow.core_clock.period_ps = 1'000'000;
  slow.core.vector.lanes = 1;
  slow.core.vector.simple_passes = 1;
  slow.core.vector.reduction_cycles = 0;
  EXPECT_NO_THROW(check_simulated_time("p", program_of(reduction(std::int64_t{1} << 32)), slow));
  EXPECT_NO_THROW(check_simulated_time("p", program_of(reduction(900'000'000'000)), slow));
  EXPECT_THAT(
      [&] { check_simulated_time("p", program_of(reduction(std::int64_t{1} << 40)), slow); },
      ThrowsMessage<UserError>("p: the instructions of core 0 take up to 1.1e+06 s of simulated time, a run 1e+06 s"));
  EXPECT_THROW(check_simulated_time("p", program_of(reduction(100'000'000'000), 11), slow), UserError)
      << "one alone would run";
}

TEST(SimulatedTime, ASlowArray) {
  Hardware slow = chip("edge_single.yaml");
  slow.core.matmul.rate[static_cast<int>(DataType::kBf16)] = 1e-6;
  EXPECT_NO_THROW(check_simulated_time("p", program_of(sums(1 << 20)), slow));
  slow.core_clock.period_ps = 1'000'000;
  slow.core.matmul.dataflow = Dataflow::kOutputStationary;
  EXPECT_THAT([&] { check_simulated_time("p", program_of(sums(std::int64_t{1} << 40)), slow); },
              ThrowsMessage<UserError>(HasSubstr("core 0")));
}

TEST(SimulatedTime, MoreSumsThanACounterHolds) {
  Hardware wide = chip("edge_single.yaml");
  wide.core.matmul.rows = wide.core.matmul.columns = 4096;
  wide.core.matmul.arrays = 1024;
  wide.core_clock.period_ps = 10;
  Matmul matmul;
  matmul.m = matmul.n = {1, 1, 1 << 14};
  matmul.k = {1, 1, std::int64_t{1} << 36};
  EXPECT_THAT(
      [&] {
        check_simulated_time("p", program_of({Unit::kMatmul, 0, {}, {}, matmul}), wide);
      },
      ThrowsMessage<UserError>(HasSubstr("multiply-adds, at most 2^62")));
}

// What the check believes is never below what the units take.
TEST(SimulatedTime, IsNoLessThanTheUnitsTake) {
  const test::Property wanted = test::property(7, 2000);
  SplitMix64 random(wanted.seed);
  const auto between = [&](std::int64_t least, std::int64_t most) { return least + random.below(most - least + 1); };
  const std::vector<Hardware> chips{chip("edge_single.yaml"), chip("gemmini_8x8.yaml"),   chip("tpu_v3_core.yaml"),
                                    chip("mesh_16.yaml"),     chip("timeloop_core.yaml"), chip("tpu_v4_chip.yaml")};
  for (int i = 0; i < wanted.cases; ++i) {
    const DataType type = between(0, 1) == 1 ? DataType::kFp16 : DataType::kBf16;
    const Hardware& hardware = chips[static_cast<std::size_t>(i) % chips.size()];
    const auto size = [&] { return between(1, 300); };
    Matmul matmul;
    matmul.type = type;
    for (MatmulExtents* extents : {&matmul.m, &matmul.n, &matmul.k}) *extents = {between(1, 4), between(1, 4), size()};
    matmul.a_stationary = hardware.core.matmul.dataflow == Dataflow::kWeightStationary && between(0, 1) == 1;
    while (hardware.core.matmul.rate[static_cast<int>(matmul.type)] == 0)
      matmul.type = static_cast<DataType>((static_cast<int>(matmul.type) + 1) % kDataTypeCount);
    const ArrayTime time = array_time(hardware.core.matmul, array_work_of(matmul));
    const Instruction instruction{Unit::kMatmul, 0, {}, {}, matmul};
    ASSERT_GE(longest_cycles(hardware.core, instruction), static_cast<double>(time.fill + time.occupancy)) << i;
    Vector vector;
    vector.shape = {1, between(1, 4), between(1, 4), size(), size()};
    vector.a.type = vector.target.type = type;
    vector.a.stride = {0, 0, 0, 0, 2};
    vector.op = between(0, 1) == 1 ? VectorOp::kReduceAdd : VectorOp::kGelu;
    ASSERT_GE(longest_cycles(hardware.core, {Unit::kVector, 0, {}, {}, vector}),
              static_cast<double>(vector_cycles(hardware.core.vector, vector)))
        << i;
  }
}

}  // namespace
}  // namespace tilewright
