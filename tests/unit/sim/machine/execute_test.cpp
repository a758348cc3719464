#include "sim/machine/core/execute.h"

#include <gmock/gmock.h>

#include <limits>

#include "sim/base/error.h"

namespace tilewright {
namespace {

class Execute : public testing::Test {
 protected:
  Execute() {
    memory_.dram = &dram_;
    memory_.cluster = &cluster_;
    memory_.buffer_a = ZeroedBytes(1 << 20);
    memory_.buffer_b = ZeroedBytes(1 << 20);
    memory_.accumulator = ZeroedBytes(1 << 20);
  }
  void set(Space space, Address address, DataType type, double value) {
    store_element(memory_.at(space, address, bytes_of(type)), type, value);
  }
  double get(Space space, Address address, DataType type) {
    return load_element(memory_.at(space, address, bytes_of(type)), type);
  }

  DramImage dram_{{{"x", SegmentKind::kHidden, DataType::kInt8, 1 << 20, 4096}}};
  ZeroedBytes cluster_{4096};
  CoreMemory memory_;
};

TEST_F(Execute, DramOutsideOfSegmentsIsAnError) {
  EXPECT_THROW(dram_.at(0, 1), InternalError);
  EXPECT_THROW(dram_.at((1 << 20) + 4095, 2), InternalError);
  EXPECT_NO_THROW(dram_.at((1 << 20) + 4095, 1));
}

TEST(ZeroedBytes, TakeNoMemoryBeforeTheyAreUsed) {
  std::vector<ZeroedBytes> buffers;
  for (int i = 0; i < 3 * 16384; ++i) buffers.emplace_back(Bytes{1} << 40);
  EXPECT_TRUE(buffers.back().holds((Bytes{1} << 40) - 1, 1));
  EXPECT_FALSE(buffers.back().holds(1, Bytes{1} << 40));
  EXPECT_FALSE(buffers.back().holds(-1, 1));
  ZeroedBytes used(4096);
  EXPECT_EQ(used.data()[4095], std::byte{0});
  used.data()[4095] = std::byte{7};
  EXPECT_EQ(used.data()[4095], std::byte{7});
}

TEST_F(Execute, SegmentsThatOverlapShareBytes) {
  DramImage image(
      {{"x", SegmentKind::kHidden, DataType::kInt8, 0, 100}, {"y", SegmentKind::kHidden, DataType::kInt8, 50, 100}});
  EXPECT_EQ(image.at(0, 150) + 60, image.at(60, 10));
}

// A row of three, stored from its last element to its first.
TEST_F(Execute, StoreWalksABufferBackwards) {
  for (int i = 0; i < 3; ++i) set(Space::kBufferA, 2 * i, DataType::kBf16, i + 1);
  Transfer store{.kind = TransferKind::kStore, .type = DataType::kBf16, .shape = {1, 1, 1, 1, 3}};
  store.source = {Space::kBufferA, 4, {0, 0, 0, 0, -2}};
  store.target = {Space::kDram, 1 << 20, {0, 0, 0, 0, 2}};
  execute_transfer(store, memory_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(Space::kDram, (1 << 20) + 2 * i, DataType::kBf16), 3 - i);
}

TEST_F(Execute, LoadPadsAndTransposes) {
  for (int i = 0; i < 6; ++i) set(Space::kDram, (1 << 20) + i, DataType::kInt8, i + 1);  // 2 x 3
  Transfer load;
  load.type = DataType::kInt8;
  load.shape = {1, 1, 1, 4, 4};
  load.pad_low = {0, 0, 0, 1, 0}, load.pad_high = {0, 0, 0, 1, 1};
  load.pad_value = -9;
  load.source = {Space::kDram, 1 << 20, {0, 0, 0, 3, 1}};
  load.target = {Space::kBufferA, 0, {0, 0, 0, 1, 4}};  // transposed
  execute_transfer(load, memory_);
  const double expected[4][4] = {{-9, -9, -9, -9}, {1, 2, 3, -9}, {4, 5, 6, -9}, {-9, -9, -9, -9}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(get(Space::kBufferA, i + 4 * j, DataType::kInt8), expected[i][j]);
}

TEST_F(Execute, CopyBetweenDifferentRunLengths) {
  for (int i = 0; i < 12; ++i) set(Space::kDram, (1 << 20) + 2 * i, DataType::kBf16, i);
  Transfer copy;
  copy.kind = TransferKind::kCopy;
  copy.shape = {1, 1, 2, 3, 2};
  copy.source = {Space::kDram, 1 << 20, {0, 0, 12, 4, 2}};
  copy.target = {Space::kCluster, 0, {0, 0, 100, 10, 2}};
  execute_transfer(copy, memory_);
  EXPECT_EQ(get(Space::kCluster, 100 + 20 + 2, DataType::kBf16), 11);
  EXPECT_EQ(get(Space::kCluster, 100 + 4, DataType::kBf16), 0);
}

// One element: op(a, b) with a zero point, from `from` to `to`.
class ExecuteLevels : public Execute {
 protected:
  double one(VectorOp op, double a, DataType from, double b, double zero, DataType to) {
    Vector vector{.op = op};
    vector.a = {Space::kBufferA, 0, {}, from};
    vector.target = {Space::kAccumulator, 0, {}, to};
    vector.b_is_immediate = true;
    vector.immediate = b, vector.immediate2 = zero;
    set(Space::kBufferA, 0, from, a);
    execute_vector(vector, memory_);
    return get(Space::kAccumulator, 0, to);
  }
  double quantised(double a, double scale, double zero) {
    return one(VectorOp::kQuantize, a, DataType::kFp32, scale, zero, DataType::kInt8);
  }
  double requantised(double sum, double factor, double zero, DataType to = DataType::kInt8) {
    return one(VectorOp::kRequantize, sum, DataType::kInt32, factor, zero, to);
  }
};

TEST_F(ExecuteLevels, HalvesGoToTheEvenLevelBeforeTheZeroPointIsAdded) {
  const std::pair<double, double> halves[] = {{0.5, 0},  {1.5, 2},   {2.5, 2},   {3.5, 4},
                                              {-0.5, 0}, {-1.5, -2}, {-2.5, -2}, {126.5, 126}};
  for (const auto& [value, level] : halves) {
    for (const double zero : {0.0, 1.0, -3.0}) EXPECT_EQ(quantised(value, 1, zero), level + zero) << value;
    EXPECT_EQ(requantised(2 * value, 0.5, 1), level + 1) << value;
  }
}

TEST_F(ExecuteLevels, SaturatesAtTheEndsOfInt8) {
  EXPECT_EQ(quantised(127, 1, 0), 127);
  EXPECT_EQ(quantised(128, 1, 0), 127);
  EXPECT_EQ(quantised(-128, 1, 0), -128);
  EXPECT_EQ(quantised(-129, 1, 0), -128);
  EXPECT_EQ(quantised(255, 1, -128), 127);
  EXPECT_EQ(quantised(256, 1, -128), 127);
  EXPECT_EQ(quantised(-1, 1, -128), -128);
  EXPECT_EQ(quantised(1e30, 1e-5, 0), 127);
  EXPECT_EQ(requantised(2147483647.0, 1, 0), 127);
  EXPECT_EQ(requantised(-2147483648.0, 1, 0), -128);
  // Also on the way to what stays in the accumulator.
  EXPECT_EQ(requantised(100000, 1, 0, DataType::kInt32), 127);
}

TEST_F(ExecuteLevels, TwoNumbersOfFourBitsLieInAByte) {
  for (int low = -8; low < 8; ++low)
    for (int high = -8; high < 8; ++high) {
      const int byte = high * 16 + (low & 15);
      EXPECT_EQ(one(VectorOp::kDequantizeLow, byte, DataType::kInt8, 0.5, 1, DataType::kFp32), (low - 1) * 0.5);
      EXPECT_EQ(one(VectorOp::kDequantizeHigh, byte, DataType::kInt8, 0.5, 1, DataType::kFp32), (high - 1) * 0.5);
    }
}

TEST_F(ExecuteLevels, DividesByTheScaleInFp32) {
  EXPECT_EQ(quantised(2.5f * 0.1f, 0.1f, 0), 2);
  EXPECT_EQ(one(VectorOp::kDequantize, -128, DataType::kInt8, 0.5, 127, DataType::kFp32), -127.5);
  EXPECT_EQ(one(VectorOp::kDequantize, 127, DataType::kInt8, 0.1f, -128, DataType::kFp32), 255 * 0.1f);
}

TEST_F(Execute, SumsOfIntegersByAFactorContinueInTheFloatsThere) {
  Vector vector{.op = VectorOp::kMultiplyAdd};
  vector.a = {Space::kBufferA, 0, {}, DataType::kInt8};
  vector.target = {Space::kAccumulator, 0, {}, DataType::kFp32};
  vector.b_is_immediate = vector.accumulate = true;
  vector.immediate = 2;
  set(Space::kBufferA, 0, DataType::kInt8, 3);
  set(Space::kAccumulator, 0, DataType::kFp32, 0.25);
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kFp32), 6.25);
}

Matmul dense_matmul(std::int64_t m, std::int64_t n, std::int64_t k, DataType type) {
  const Bytes element = bytes_of(type);
  Matmul matmul;
  matmul.type = type;
  matmul.m[2] = m, matmul.n[2] = n, matmul.k[2] = k;
  matmul.a = {Space::kBufferA, 0, {0, 0, k * element}, {0, 0, element}};
  matmul.b = {Space::kBufferB, 0, {0, 0, n * element}, {0, 0, element}};
  matmul.c = {Space::kAccumulator, 0, {0, 0, n * 4}, {0, 0, 4}};
  return matmul;
}

TEST_F(Execute, MatmulAccumulatesOnlyWhenAsked) {
  Matmul matmul = dense_matmul(1, 1, 3, DataType::kInt8);
  for (int i = 0; i < 3; ++i) {
    set(Space::kBufferA, i, DataType::kInt8, -128);
    set(Space::kBufferB, i, DataType::kInt8, 127);
  }
  set(Space::kAccumulator, 0, DataType::kInt32, 7);
  matmul.accumulate = true;
  execute_matmul(matmul, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kInt32), 7 - 3 * 128 * 127);
  matmul.accumulate = false;
  execute_matmul(matmul, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kInt32), -3 * 128 * 127);
}

TEST_F(Execute, RowsOfAHaveTheZerosThatTheInstructionSays) {
  Matmul matmul = dense_matmul(2, 1, 3, DataType::kBf16);
  for (int i = 0; i < 6; ++i) set(Space::kBufferA, 2 * i, DataType::kBf16, i == 1 || i == 3 || i == 5 ? 0 : 1);
  set(Space::kBufferB, 2 * 1, DataType::kBf16, std::numeric_limits<double>::infinity());  // beside a zero of row 0
  matmul.zeros = 1;
  execute_matmul(matmul, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kFp32), 0);
  matmul.zeros = 2;
  EXPECT_THAT([&] { execute_matmul(matmul, memory_); },
              testing::ThrowsMessage<UserError>("matmul: row 0 of A has 1 zeros, the instruction says 2"));
}

TEST_F(Execute, MatmulWalksAConvolutionWindow) {
  for (int i = 0; i < 16; ++i) set(Space::kBufferA, 4 * i, DataType::kFp32, i);     // 4 x 4 input
  for (int i = 0; i < 4; ++i) set(Space::kBufferB, 4 * i, DataType::kFp32, i + 1);  // 2 x 2 filter
  Matmul matmul;
  matmul.type = DataType::kFp32;
  matmul.m = {1, 3, 3}, matmul.k = {1, 2, 2};
  matmul.a = {Space::kBufferA, 0, {0, 16, 4}, {0, 16, 4}};
  matmul.b = {Space::kBufferB, 0, {0, 8, 4}, {}};
  matmul.c = {Space::kAccumulator, 0, {0, 12, 4}, {}};
  execute_matmul(matmul, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 12 + 4, DataType::kFp32), 5 * 1 + 6 * 2 + 9 * 3 + 10 * 4);
}

TEST_F(Execute, VectorOperations) {
  const auto one = [&](VectorOp op, double a, double b, double low = 0) {
    set(Space::kBufferA, 0, DataType::kFp32, a);
    set(Space::kBufferB, 0, DataType::kFp32, b);
    Vector vector;
    vector.op = op;
    vector.a = {Space::kBufferA, 0, {}, DataType::kFp32};
    vector.b = {Space::kBufferB, 0, {}, DataType::kFp32};
    vector.target = {Space::kAccumulator, 0, {}, DataType::kFp32};
    vector.immediate = low, vector.immediate2 = 6;
    execute_vector(vector, memory_);
    return get(Space::kAccumulator, 0, DataType::kFp32);
  };
  EXPECT_EQ(one(VectorOp::kSub, 5, 3), 2);
  EXPECT_EQ(one(VectorOp::kDiv, 1, 4), 0.25);
  EXPECT_EQ(one(VectorOp::kRelu, -2, 0), 0);
  EXPECT_EQ(one(VectorOp::kClip, 9, 0), 6);
  EXPECT_EQ(one(VectorOp::kClip, -9, 0, -1), -1);
  EXPECT_NEAR(one(VectorOp::kGelu, 1, 0), 0.8413447, 1e-6);
  EXPECT_NEAR(one(VectorOp::kGeluTanh, 1, 0), 0.8411920, 1e-6);
  EXPECT_NEAR(one(VectorOp::kAtan, -1, 0), -0.7853982, 1e-6);
  EXPECT_NEAR(one(VectorOp::kSigmoid, 0, 0), 0.5, 1e-7);
  EXPECT_NEAR(one(VectorOp::kRsqrt, 16, 0), 0.25, 1e-7);
}

TEST_F(Execute, ReductionKeepsItsPartialValueInFp32) {
  for (int i = 0; i < 1000; ++i) set(Space::kBufferA, 2 * i, DataType::kBf16, 1);
  Vector vector;
  vector.op = VectorOp::kReduceAdd;
  vector.shape = {1, 1, 1, 2, 500};
  vector.a = {Space::kBufferA, 0, {0, 0, 0, 1000, 2}, DataType::kBf16};
  vector.target = {Space::kAccumulator, 0, {0, 0, 0, 2, 0}, DataType::kBf16};
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 2, DataType::kBf16), 500);
  vector.accumulate = true;
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 2, DataType::kBf16), 1000);
}

TEST_F(Execute, MultiplyAddSumsAWindowOfEachChannel) {
  for (int i = 0; i < 18; ++i) set(Space::kBufferB, 4 * i, DataType::kFp32, i);     // two channels of 3 x 3
  for (int i = 0; i < 8; ++i) set(Space::kBufferA, 4 * i, DataType::kFp32, i + 1);  // two filters of 2 x 2
  Vector vector;
  vector.op = VectorOp::kMultiplyAdd;
  vector.shape = {2, 2, 2, 2, 2};  // kernel rows and columns, channels, rows, columns
  vector.a = {Space::kBufferB, 0, {12, 4, 36, 12, 4}, DataType::kFp32};
  vector.b = {Space::kBufferA, 0, {8, 4, 16, 0, 0}, DataType::kFp32};
  vector.target = {Space::kAccumulator, 0, {0, 0, 16, 8, 4}, DataType::kFp32};
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kFp32), 0 * 1 + 1 * 2 + 3 * 3 + 4 * 4);
  EXPECT_EQ(get(Space::kAccumulator, 28, DataType::kFp32), 13 * 5 + 14 * 6 + 16 * 7 + 17 * 8);
  vector.accumulate = true;
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kFp32), 2 * (0 * 1 + 1 * 2 + 3 * 3 + 4 * 4));
}

TEST_F(Execute, MultiplyAddOfIntegersIsExact) {
  for (int i = 0; i < 4; ++i) {
    set(Space::kBufferA, i, DataType::kInt8, -128);
    set(Space::kBufferB, i, DataType::kInt8, 127);
  }
  set(Space::kAccumulator, 0, DataType::kInt32, (1 << 25) + 1);
  Vector vector;
  vector.op = VectorOp::kMultiplyAdd;
  vector.shape[4] = 4;
  vector.a = {Space::kBufferA, 0, {0, 0, 0, 0, 1}, DataType::kInt8};
  vector.b = {Space::kBufferB, 0, {0, 0, 0, 0, 1}, DataType::kInt8};
  vector.target = {Space::kAccumulator, 0, {}, DataType::kInt32};
  vector.accumulate = true;
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kInt32), (1 << 25) + 1 - 4 * 128 * 127);
}

TEST_F(Execute, IntegersAreExactAboveTheFp32Mantissa) {
  set(Space::kBufferA, 0, DataType::kInt32, (1 << 24) + 1);
  Vector vector;
  vector.op = VectorOp::kAdd;
  vector.a = {Space::kBufferA, 0, {}, DataType::kInt32};
  vector.target = {Space::kAccumulator, 0, {}, DataType::kInt32};
  vector.b_is_immediate = true;
  vector.immediate = 2;
  execute_vector(vector, memory_);
  EXPECT_EQ(get(Space::kAccumulator, 0, DataType::kInt32), (1 << 24) + 3);
}

}  // namespace
}  // namespace tilewright
