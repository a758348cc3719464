#include "planner/import/element_bytes.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "sim/base/data_type.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

// Calls visit(T{}) with the C++ type that holds an element; 16-bit floats travel as their bits.
template <typename Visit>
auto with_storage(ValueType type, Visit visit) {
  switch (type) {
    case ValueType::kFloat32:
      return visit(float{});
    case ValueType::kFloat64:
      return visit(double{});
    case ValueType::kInt8:
      return visit(std::int8_t{});
    case ValueType::kInt16:
      return visit(std::int16_t{});
    case ValueType::kInt32:
      return visit(std::int32_t{});
    case ValueType::kInt64:
      return visit(std::int64_t{});
    case ValueType::kUint8:
    case ValueType::kBool:
      return visit(std::uint8_t{});
    case ValueType::kFloat16:
    case ValueType::kBfloat16:
    case ValueType::kUint16:
      return visit(std::uint16_t{});
    case ValueType::kUint32:
      return visit(std::uint32_t{});
    case ValueType::kUint64:
      return visit(std::uint64_t{});
  }
  SIM_CHECK(false, "value type {}", static_cast<int>(type));
}

bool is_half(ValueType type) { return type == ValueType::kFloat16 || type == ValueType::kBfloat16; }

DataType half_of(ValueType type) { return type == ValueType::kFloat16 ? DataType::kFp16 : DataType::kBf16; }

double whole_or_infinite(double value) {
  if (std::abs(value) < kLargestWhole) return value;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

}  // namespace

std::size_t bytes_of(ValueType type) {
  return with_storage(type, [](auto element) { return sizeof(element); });
}

std::vector<double> elements_of(std::string_view bytes, ValueType type) {
  std::vector<double> elements(bytes.size() / bytes_of(type));
  with_storage(type, [&](auto element) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const char* from = bytes.data() + i * sizeof(element);
      std::memcpy(&element, from, sizeof(element));
      const auto value = static_cast<double>(element);
      elements[i] = is_half(type)    ? load_element(reinterpret_cast<const std::byte*>(from), half_of(type))
                    : is_whole(type) ? whole_or_infinite(value)
                                     : value;
    }
  });
  return elements;
}

std::string bytes_of(const std::vector<double>& elements, ValueType type) {
  std::string bytes(elements.size() * bytes_of(type), '\0');
  with_storage(type, [&](auto element) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      char* to = bytes.data() + i * sizeof(element);
      element = static_cast<decltype(element)>(elements[i]);
      if (is_half(type))
        store_element(reinterpret_cast<std::byte*>(to), half_of(type), elements[i]);
      else
        std::memcpy(to, &element, sizeof(element));
    }
  });
  return bytes;
}

}  // namespace tilewright
