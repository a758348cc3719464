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
constexpr TypeInfo kTypes[kDataTypeCount] = {{"fp32", 4},  {"fp16", 2},     {"bf16", 2},    {"int8", 1},
                                             {"int32", 4}, {"fp8_e4m3", 1}, {"fp8_e5m2", 1}};

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

// Sign, exponent and fraction, the exponent that is all ones kept for infinities and NaN (IEEE 754); or, without
// infinities, for numbers too but for the fraction that is all ones, which is NaN (OCP 8-bit Floating Point, E4M3).
struct SmallFloat {
  int exponent_bits, fraction_bits;
  double largest;
  bool infinities, saturates;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint16_t ones() const { return static_cast<std::uint16_t>((1 << (exponent_bits + fraction_bits)) - 1); }
  std::uint16_t infinity() const { return static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits); }
  std::uint16_t sign() const { return static_cast<std::uint16_t>(1 << (exponent_bits + fraction_bits)); }
};
constexpr SmallFloat kHalf{5, 10, 65504, true, false};
constexpr SmallFloat kE4m3{4, 3, 448, false, true};
constexpr SmallFloat kE5m2{5, 2, 57344, true, true};

// Of a finite magnitude that does not exceed the largest once it is rounded.
std::uint16_t finite_bits(const SmallFloat& format, double magnitude) {
  const int least = 1 - format.bias(), one = 1 << format.fraction_bits;
  int exponent = magnitude == 0 ? least : std::max(least, std::ilogb(magnitude));
  // Scaling by powers of two is exact, so one nearbyint at the format's last place is the correct rounding.
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent)));
  if (steps >= 2 * one) {
    steps /= 2;
    ++exponent;
  }
  if (steps < one) return static_cast<std::uint16_t>(steps);
  return static_cast<std::uint16_t>(((exponent + format.bias()) << format.fraction_bits) | (steps - one));
}

std::uint16_t to_bits(const SmallFloat& format, double value) {
  const std::uint16_t sign = std::signbit(value) ? format.sign() : 0;
  if (std::isnan(value)) return sign | format.ones();
  const double magnitude = std::fabs(value);
  // From half a step behind the largest on, whose last bit is 1, values round past it.
  const double half_step = std::ldexp(0.5, std::ilogb(format.largest) - format.fraction_bits);
  if (!format.saturates && magnitude >= format.largest + half_step) return sign | format.infinity();
  return sign | finite_bits(format, std::min(magnitude, format.largest));
}

double from_bits(const SmallFloat& format, std::uint16_t bits) {
  const double sign = bits & format.sign() ? -1.0 : 1.0;
  const int exponent = (bits >> format.fraction_bits) & ((1 << format.exponent_bits) - 1);
  const int fraction = bits & ((1 << format.fraction_bits) - 1), one = 1 << format.fraction_bits;
  if ((bits & format.ones()) == format.ones()) return std::numeric_limits<double>::quiet_NaN();
  if (format.infinities && exponent == (1 << format.exponent_bits) - 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  const int scale = -format.bias() - format.fraction_bits;
  if (exponent == 0) return sign * std::ldexp(fraction, scale + 1);
  return sign * std::ldexp(one + fraction, scale + exponent);
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
      return from_bits(kHalf, read_as<std::uint16_t>(source));
    case DataType::kBf16:
      return bf16_to_float(read_as<std::uint16_t>(source));
    case DataType::kInt8:
      return read_as<std::int8_t>(source);
    case DataType::kInt32:
      return read_as<std::int32_t>(source);
    case DataType::kFp8E4m3:
      return from_bits(kE4m3, read_as<std::uint8_t>(source));
    case DataType::kFp8E5m2:
      return from_bits(kE5m2, read_as<std::uint8_t>(source));
  }
  SIM_CHECK(false, "data type {}", static_cast<int>(type));
}

void store_element(std::byte* target, DataType type, double value) {
  switch (type) {
    case DataType::kFp32:
      return write_as(target, static_cast<float>(value));
    case DataType::kFp16:
      return write_as(target, to_bits(kHalf, value));
    // Through fp32: values reaching here were computed in fp32, so no second rounding happens.
    case DataType::kBf16:
      return write_as(target, float_to_bf16(static_cast<float>(value)));
    case DataType::kInt8:
      return write_as(target, saturate<std::int8_t>(value));
    case DataType::kInt32:
      return write_as(target, saturate<std::int32_t>(value));
    case DataType::kFp8E4m3:
      return write_as(target, static_cast<std::uint8_t>(to_bits(kE4m3, value)));
    case DataType::kFp8E5m2:
      return write_as(target, static_cast<std::uint8_t>(to_bits(kE5m2, value)));
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
  return std::copysign(type == DataType::kFp16   ? kHalf.largest
                       : type == DataType::kBf16 ? 0x1.fep127
                                                 : 0x1.fffffep127,
                       value);
}

}  // namespace tilewright
