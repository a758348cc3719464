// Element types of the tensors in a model's file, which are more than the machine computes in: what values read for a
// model mean, and what its outputs are written as.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

enum class ValueType : std::uint8_t {
  kFloat32,
  kFloat64,
  kFloat16,
  kBfloat16,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool,
};
inline constexpr int kValueTypeCount = 13;

std::string_view name_of(ValueType type);  // numpy's: "float32"
bool is_whole(ValueType type);             // integers and bool

// Whether `value` is one of the type's; for floats every number is.
bool holds(ValueType type, double value);

// A number that is infinite as a float32, in which and in what is narrower the machine computes.
bool beyond_float(double value);

// As a conversion to the type gives it: towards zero and wrapped for integers, 0 or 1 for bool, rounded for floats.
double converted(ValueType type, double value);

}  // namespace tilewright
