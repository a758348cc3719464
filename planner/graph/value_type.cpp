#include "planner/graph/value_type.h"

#include <array>
#include <cmath>
#include <limits>

#include "sim/base/data_type.h"

namespace tilewright {
namespace {

struct Row {
  std::string_view name;
  int bits;  // of an integer; 0: no integer
  bool is_signed;
};

constexpr std::array<Row, kValueTypeCount> kRows{{{"float32", 0, true},
                                                  {"float64", 0, true},
                                                  {"float16", 0, true},
                                                  {"bfloat16", 0, true},
                                                  {"int8", 8, true},
                                                  {"int16", 16, true},
                                                  {"int32", 32, true},
                                                  {"int64", 64, true},
                                                  {"uint8", 8, false},
                                                  {"uint16", 16, false},
                                                  {"uint32", 32, false},
                                                  {"uint64", 64, false},
                                                  {"bool", 1, false}}};

const Row& row_of(ValueType type) { return kRows[static_cast<std::size_t>(type)]; }

double lowest(const Row& row) { return row.is_signed ? -std::ldexp(1.0, row.bits - 1) : 0.0; }
double highest(const Row& row) { return std::ldexp(1.0, row.bits - (row.is_signed ? 1 : 0)) - 1; }

double wrapped(const Row& row, double value) {
  const double whole = std::trunc(value);
  if (!std::isfinite(whole) || (whole >= lowest(row) && whole <= highest(row))) return whole;
  const double turn = std::ldexp(1.0, row.bits);
  const double rest = whole - turn * std::floor(whole / turn);
  return rest > highest(row) ? rest - turn : rest;
}

}  // namespace

std::string_view name_of(ValueType type) { return row_of(type).name; }
bool is_whole(ValueType type) { return row_of(type).bits > 0; }

bool holds(ValueType type, double value) {
  if (!is_whole(type)) return true;
  return std::trunc(value) == value && value >= lowest(row_of(type)) && value <= highest(row_of(type));
}

bool beyond_float(double value) {
  return std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max());
}

double converted(ValueType type, double value) {
  switch (type) {
    case ValueType::kBool:
      return value != 0;
    case ValueType::kFloat32:
      return static_cast<double>(static_cast<float>(value));
    case ValueType::kFloat64:
      return value;
    case ValueType::kFloat16:
      return round_to(DataType::kFp16, value);
    case ValueType::kBfloat16:
      return round_to(DataType::kBf16, value);
    default:
      return wrapped(row_of(type), value);
  }
}

}  // namespace tilewright
