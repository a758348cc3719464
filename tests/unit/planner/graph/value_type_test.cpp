#include "planner/graph/value_type.h"

#include <gtest/gtest.h>

#include <limits>

namespace tilewright {
namespace {

TEST(ValueType, HoldsItsLimitsAndNothingBeyond) {
  EXPECT_TRUE(holds(ValueType::kInt8, -128));
  EXPECT_FALSE(holds(ValueType::kInt8, -129));
  EXPECT_TRUE(holds(ValueType::kUint8, 255));
  EXPECT_FALSE(holds(ValueType::kUint8, 256));
  EXPECT_FALSE(holds(ValueType::kUint8, -1));
  EXPECT_FALSE(holds(ValueType::kInt64, 0.5));
  EXPECT_TRUE(holds(ValueType::kBool, 1));
  EXPECT_FALSE(holds(ValueType::kBool, 2));
  EXPECT_TRUE(holds(ValueType::kFloat16, 1e30));
}

TEST(ValueType, ConversionsCutWrapAndRound) {
  EXPECT_EQ(converted(ValueType::kInt64, 3.5), 3);
  EXPECT_EQ(converted(ValueType::kInt64, -3.5), -3);
  EXPECT_EQ(converted(ValueType::kUint8, 257), 1);
  EXPECT_EQ(converted(ValueType::kUint8, -1), 255);
  EXPECT_EQ(converted(ValueType::kInt8, 128), -128);
  EXPECT_EQ(converted(ValueType::kBool, -0.25), 1);
  EXPECT_EQ(converted(ValueType::kFloat16, 2049), 2048);
  EXPECT_EQ(converted(ValueType::kBfloat16, 257), 256);
  EXPECT_EQ(converted(ValueType::kFloat64, 0.1), 0.1);
}

TEST(ValueType, NumbersBeyondTheFloats) {
  EXPECT_TRUE(beyond_float(1e39));
  EXPECT_FALSE(beyond_float(std::numeric_limits<float>::max()));
  EXPECT_FALSE(beyond_float(std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace tilewright
