// Conversions of the small floats, held against every code there is.
#include "sim/base/data_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tilewright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double value_of(DataType type, unsigned code) {
  std::byte cell[2];
  std::memcpy(cell, &code, 2);  // little endian, as programs are
  return load_element(cell, type);
}

std::vector<double> finite_values(DataType type) {
  std::vector<double> values;
  for (unsigned code = 0; code < 1U << (8 * bytes_of(type)); ++code)
    if (std::isfinite(value_of(type, code))) values.push_back(value_of(type, code));
  std::sort(values.begin(), values.end());
  return values;
}

// What a round to nearest even may give: the nearest finite value, of two the one whose code is even.
void expect_nearest(DataType type, const std::vector<double>& values, double value) {
  const double rounded = round_to(type, value);
  const auto above = std::lower_bound(values.begin(), values.end(), value);
  ASSERT_NE(above, values.end());
  ASSERT_NE(above, values.begin());
  const double low = *std::prev(above), high = *above;
  if (value - low != high - value) {
    EXPECT_EQ(rounded, value - low < high - value ? low : high) << value;
    return;
  }
  std::byte cell[2]{};
  store_element(cell, type, value);
  EXPECT_EQ(std::to_integer<int>(cell[0]) & 1, 0) << value;
  EXPECT_TRUE(rounded == low || rounded == high) << value;
}

class SmallFloats : public testing::TestWithParam<DataType> {};
INSTANTIATE_TEST_SUITE_P(Type, SmallFloats, testing::Values(DataType::kFp16, DataType::kFp8E4m3, DataType::kFp8E5m2),
                         [](const auto& param) { return std::string(name_of(param.param)); });

TEST_P(SmallFloats, EveryCodeIsReadBackAsItWasStored) {
  for (const double value : finite_values(GetParam())) EXPECT_EQ(round_to(GetParam(), value), value);
}

TEST_P(SmallFloats, RoundToTheNearestAndHalvesToEven) {
  const std::vector<double> values = finite_values(GetParam());
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] == values[i - 1]) continue;  // the two zeros
    expect_nearest(GetParam(), values, (values[i] + values[i - 1]) / 2);
    expect_nearest(GetParam(), values, values[i - 1] + (values[i] - values[i - 1]) * 0.25);
    expect_nearest(GetParam(), values, values[i - 1] + (values[i] - values[i - 1]) * 0.75);
  }
}

TEST_P(SmallFloats, NotANumberStaysNone) { EXPECT_TRUE(std::isnan(round_to(GetParam(), std::nan("")))); }

TEST(DataTypes, WhatIsLargerThanTheLargest) {
  EXPECT_EQ(round_to(DataType::kFp16, 65519), 65504);
  EXPECT_EQ(round_to(DataType::kFp16, 65520), kInfinity);
  EXPECT_EQ(round_to(DataType::kFp8E4m3, 1e9), 448);
  EXPECT_EQ(round_to(DataType::kFp8E4m3, -kInfinity), -448);
  EXPECT_EQ(round_to(DataType::kFp8E5m2, 1e9), 57344);
  EXPECT_EQ(round_to(DataType::kFp8E5m2, -kInfinity), -57344);
}

// The values that OCP's specification of 8-bit floats lists.
TEST(DataTypes, LimitsOfTheEightBitFloats) {
  EXPECT_EQ(value_of(DataType::kFp8E4m3, 0x7e), 448);
  EXPECT_EQ(value_of(DataType::kFp8E4m3, 0x08), 0x1p-6);
  EXPECT_EQ(value_of(DataType::kFp8E4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(value_of(DataType::kFp8E4m3, 0x7f)));
  EXPECT_EQ(value_of(DataType::kFp8E5m2, 0x7b), 57344);
  EXPECT_EQ(value_of(DataType::kFp8E5m2, 0x04), 0x1p-14);
  EXPECT_EQ(value_of(DataType::kFp8E5m2, 0x01), 0x1p-16);
  EXPECT_EQ(value_of(DataType::kFp8E5m2, 0xfc), -kInfinity);
}

}  // namespace
}  // namespace tilewright
