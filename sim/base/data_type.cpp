#include "sim/base/data_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/base/error.h"

namespace tilewright {
namespace {

struct TypeInfo {
  std::string_view name;
  int bytes;
};
constexpr TypeInfo kTypes[kDataTypeCount] = {{"fp32", 4}, {"fp16", 2}, {"bf16", 2}, {"int8", 1}, {"int32", 4}};

template <typename T>
T read_as(const std::byte* source) {
  T value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

template <typename T>
void write_as(std::byte* target, T value) {
  std::memcpy(target, &value, sizeof value);
}

float bf16_to_float(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t float_to_bf16(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Scaling by powers of two is exact, so one nearbyint at the format's last place is the correct rounding.
std::uint16_t double_to_fp16(double value) {
  std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520.0) return sign | 0x7c00;  // rounds past the largest finite value
  int exponent = magnitude == 0 ? -14 : std::max(-14, std::ilogb(magnitude));
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  if (steps >= 2048) {
    steps /= 2;
    ++exponent;
  }
  if (steps < 1024) return sign | static_cast<std::uint16_t>(steps);
  return sign | static_cast<std::uint16_t>(((exponent + 15) << 10) | (steps - 1024));
}

double fp16_to_double(std::uint16_t bits) {
  double sign = bits & 0x8000 ? -1.0 : 1.0;
  int exponent = (bits >> 10) & 31;
  int fraction = bits & 1023;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <typename Integer>
Integer saturate(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<Integer>(std::clamp(std::nearbyint(value),
                                         static_cast<double>(std::numeric_limits<Integer>::min()),
                                         static_cast<double>(std::numeric_limits<Integer>::max())));
}

}  // namespace

int bytes_of(DataType type) { return kTypes[static_cast<int>(type)].bytes; }
std::string_view name_of(DataType type) { return kTypes[static_cast<int>(type)].name; }

std::optional<DataType> parse_data_type(std::string_view name) {
  for (int i = 0; i < kDataTypeCount; ++i)
    if (kTypes[i].name == name) return static_cast<DataType>(i);
  return std::nullopt;
}

DataType accumulator_type(DataType input) {
  return input == DataType::kInt8 || input == DataType::kInt32 ? DataType::kInt32 : DataType::kFp32;
}

double load_element(const std::byte* source, DataType type) {
  switch (type) {
    case DataType::kFp32:
      return read_as<float>(source);
    case DataType::kFp16:
      return fp16_to_double(read_as<std::uint16_t>(source));
    case DataType::kBf16:
      return bf16_to_float(read_as<std::uint16_t>(source));
    case DataType::kInt8:
      return read_as<std::int8_t>(source);
    case DataType::kInt32:
      return read_as<std::int32_t>(source);
  }
  SIM_CHECK(false, "data type {}", static_cast<int>(type));
}

void store_element(std::byte* target, DataType type, double value) {
  switch (type) {
    case DataType::kFp32:
      return write_as(target, static_cast<float>(value));
    case DataType::kFp16:
      return write_as(target, double_to_fp16(value));
    // Through fp32: values reaching here were computed in fp32, so no second rounding happens.
    case DataType::kBf16:
      return write_as(target, float_to_bf16(static_cast<float>(value)));
    case DataType::kInt8:
      return write_as(target, saturate<std::int8_t>(value));
    case DataType::kInt32:
      return write_as(target, saturate<std::int32_t>(value));
  }
  SIM_CHECK(false, "data type {}", static_cast<int>(type));
}

double round_to(DataType type, double value) {
  std::byte cell[4];
  store_element(cell, type, value);
  return load_element(cell, type);
}

double round_finite(DataType type, double value) {
  const double near = round_to(type, value);
  if (std::isfinite(near) || !std::isfinite(value)) return near;
  return std::copysign(type == DataType::kFp16   ? 65504.0
                       : type == DataType::kBf16 ? 0x1.fep127
                                                 : 0x1.fffffep127,
                       value);
}

}  // namespace tilewright
